// Libraries of CANN that programs link and need nothing of: what they do call is in the libraries that these depend on.
