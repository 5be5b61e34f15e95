#include "gtest/gtest.h"

// Tiling and infershape functions are linked into the test program and register themselves.
int main(int argc, char** argv)
{
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
