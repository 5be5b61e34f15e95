# The script of CPack: the staged files become a .run file.
set(run "${CPACK_PACKAGE_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME}")
execute_process(
    COMMAND "${CPACK_HOSTCANN_OPC}" pack --stage "${CPACK_TEMPORARY_DIRECTORY}" --vendor "${CPACK_HOSTCANN_VENDOR}"
        --out "${run}"
    RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "${run} was not made")
endif()
