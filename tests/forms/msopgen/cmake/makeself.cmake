# CPack: the staged files behind a script that unpacks them and runs install.sh.
set(archive ${CPACK_TOPLEVEL_DIRECTORY}/package.tar.gz)
set(run ${CPACK_PACKAGE_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME})
execute_process(COMMAND tar -czf ${archive} . WORKING_DIRECTORY ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${run} "#!/bin/sh
set -e
here=$(mktemp -d)
trap 'rm -rf \"$here\"' EXIT
sed '1,/^# archive$/d' \"$0\" | tar -xz -C \"$here\"
(cd \"$here\" && sh ./install.sh \"$@\")
exit
# archive
")
execute_process(COMMAND sh -c "cat '${archive}' >> '${run}' && chmod +x '${run}'" COMMAND_ERROR_IS_FATAL ANY)
