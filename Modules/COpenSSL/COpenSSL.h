// The parts of OpenSSL's libcrypto that tags need and Swift Crypto does not have: DES and the
// short curves of originality signatures.
#if __has_include(<openssl/evp.h>)
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/des.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

/// Initializes libcrypto. To be called before its first use, and any number of times.
///
/// Unlike by default, libcrypto does not free its algorithms when the process ends (OPENSSL_init_crypto(3),
/// OPENSSL_INIT_NO_ATEXIT): a thread that uses one then would end the process with SIGSEGV. This has no effect
/// if the program has initialized libcrypto before.
static inline void COpenSSL_initialize(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

/// A new cipher context of the initialized library, or NULL.
static inline EVP_CIPHER_CTX *COpenSSL_newCipherContext(void) {
  COpenSSL_initialize();
  return EVP_CIPHER_CTX_new();
}
#else
#error "openssl/evp.h is missing: sudo apt-get install libssl-dev"
#endif
