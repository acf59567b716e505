import { X509Certificate } from 'node:crypto';

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

/** @returns what is wrong with PEM certificates, or null when there is at least one and each can be read, expired ones too */
export function findCertificateFault(pem: string): string | null {
  const blocks = pem.split(BEGIN).slice(1);
  if (blocks.length === 0) return 'must have a certificate in PEM';
  const unreadable = blocks.findIndex((block) => !isCertificate(block));
  return unreadable < 0 ? null : `has a certificate that cannot be read: number ${unreadable + 1} of ${blocks.length}`;
}

/** @param block what follows the first line of a certificate in PEM */
function isCertificate(block: string): boolean {
  const end = block.indexOf(END);
  if (end < 0) return false;
  try {
    return new X509Certificate(`${BEGIN}${block.slice(0, end)}${END}\n`).raw.length > 0;
  } catch {
    return false;
  }
}
