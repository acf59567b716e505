import process from 'node:process';

/** Environment variables that make Go programs trust the operator's additional certificate authorities (`NODE_EXTRA_CA_CERTS`). */
export function trustedAuthorities(): Record<string, string> {
  const { NODE_EXTRA_CA_CERTS: authorities } = process.env;
  return authorities === undefined ? {} : { SSL_CERT_FILE: authorities };
}
