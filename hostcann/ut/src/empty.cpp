// CMake wants a source in every library; an op may have none.
