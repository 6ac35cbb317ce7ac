// Machine properties for ns-2's config.h: 64-bit GNU/Linux. It replaces the file that upstream's configure writes.
#define RANDOM_RETURN_TYPE long
#define SIZEOF_LONG 8
#define HAVE_INT64 1

#define HAVE_SOCKLEN_T 1
#define HAVE_BCOPY 1
#define HAVE_BZERO 1
#define HAVE_GETRUSAGE 1
#define HAVE_SBRK 1
#define HAVE_SNPRINTF 1
#define HAVE_STRTOLL 1
#define HAVE_STRTOQ 1
#define HAVE_FEENABLEEXCEPT 1

#define HAVE_STRING_H 1
#define HAVE_STRINGS_H 1
#define HAVE_ARPA_INET_H 1
#define HAVE_NETINET_IN_H 1
#define HAVE_FENV_H 1
#define HAVE_UNISTD_H 1
#define HAVE_TIME_H 1

#ifdef __cplusplus
#define HAVE_STL 1
#ifndef CPP_NAMESPACE
#define CPP_NAMESPACE std
#endif
namespace CPP_NAMESPACE {}
using namespace CPP_NAMESPACE;
#endif
