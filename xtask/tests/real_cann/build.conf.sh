# The options that this stand-in knows, in upstream's form: a name, with `=` where it takes a value.
SUPPORTED_LONG_OPTS=(
  "help" "ops=" "soc=" "vendor_name=" "noexec" "opkernel" "opkernel_aicpu" "pkg" "build-type=" "ophost" "opapi"
  "run_example" "experimental" "example_name=" "gtest_filter="
)
