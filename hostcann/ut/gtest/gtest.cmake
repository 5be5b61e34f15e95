# GoogleTest for C++ tests: the real one, with gmock, where its sources are, else the part of it that is in this directory.
# Its libraries would not do: the tests are compiled for the old ABI of std::string, as CANN is.
#
#   GTEST_ROOT   (environment) a GoogleTest source tree; looked for before /usr/src/googletest, where Debian's and
#                Ubuntu's package `googletest` puts it
#
# Sets gtest_sources, with a `main`, and gtest_include_dirs.
find_path(GTEST_SOURCE googletest/src/gtest-all.cc
    HINTS $ENV{GTEST_ROOT} PATHS /usr/src/googletest NO_DEFAULT_PATH)
if(GTEST_SOURCE)
    message(STATUS "GoogleTest of ${GTEST_SOURCE}")
    set(gtest_sources
        ${GTEST_SOURCE}/googletest/src/gtest-all.cc ${GTEST_SOURCE}/googlemock/src/gmock-all.cc
        ${GTEST_SOURCE}/googlemock/src/gmock_main.cc)
    set(gtest_include_dirs)
    foreach(part googletest googlemock)
        list(APPEND gtest_include_dirs ${GTEST_SOURCE}/${part}/include ${GTEST_SOURCE}/${part})
    endforeach()
else()
    file(GLOB gtest_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/src/*.cpp)
    set(gtest_include_dirs ${CMAKE_CURRENT_LIST_DIR}/include)
endif()
find_package(Threads REQUIRED)
