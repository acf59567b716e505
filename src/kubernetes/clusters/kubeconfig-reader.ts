import { createPrivateKey } from 'node:crypto';
import { findCertificateFault } from '../../core/crypto/certificates.js';
import { type Fault } from '../../core/errors/app-error.js';

type Json = Record<string, unknown>;

/** Maximum lengths in base64 characters: a system's CA bundle has some 300,000, the longest keys in use 20,000. */
const MAX_CERTIFICATES = 512 * 1024;
const MAX_KEY = 64 * 1024;

/** Reads the fields of one context and collects all faults. */
export class KubeconfigReader {
  readonly faults: Fault[] = [];
  /** Whether a fault is a credential plugin or file path, which this server must not follow. */
  isUnsafe = false;

  addFault(pointer: string, detail: string, remedy?: string): undefined {
    this.faults.push({ pointer, detail, ...(remedy && { remedy }) });
    return undefined;
  }

  addUnsafe(pointer: string, detail: string, remedy: string): undefined {
    this.isUnsafe = true;
    return this.addFault(pointer, detail, remedy);
  }

  text(from: Json, name: string, at: string): string | undefined {
    const value = from[name];
    if (value === undefined || value === null || value === '') return undefined;
    return typeof value === 'string' ? value : this.addFault(`${at}/${name}`, 'must be a string');
  }

  flag(from: Json, name: string, at: string): boolean {
    const value = from[name];
    if (value === undefined || value === null || typeof value === 'boolean') return value ?? false;
    this.addFault(`${at}/${name}`, 'must be true or false');
    return false;
  }

  texts(from: Json, name: string, at: string): string[] | undefined {
    const value = from[name];
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
    return this.addFault(`${at}/${name}`, 'must be a list of strings');
  }

  textsByKey(from: Json, name: string, at: string): Record<string, string[]> | undefined {
    const value = toRecord(from[name]);
    if (!value) return from[name] == null ? undefined : this.addFault(`${at}/${name}`, 'must be a mapping');
    const entries = Object.keys(value).map((key) => [key, this.texts(value, key, `${at}/${name}`) ?? []] as const);
    return Object.fromEntries(entries);
  }

  certificates(from: Json, name: string, at: string): string | undefined {
    return this.pem(from, name, at, MAX_CERTIFICATES, 'certificate', (pem) => {
      const fault = findCertificateFault(pem);
      if (fault) throw new Error(fault);
    });
  }

  privateKey(from: Json, name: string, at: string): string | undefined {
    return this.pem(from, name, at, MAX_KEY, 'private key without a passphrase', (pem) => createPrivateKey(pem));
  }

  private pem(
    from: Json,
    name: string,
    at: string,
    max: number,
    what: string,
    check: (pem: string) => void,
  ): string | undefined {
    const encoded = this.text(from, name, at)?.replace(/\s/g, '');
    if (encoded === undefined) return undefined;
    if (encoded.length > max) return this.addFault(`${at}/${name}`, `has more than ${max} characters`);
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || encoded.length % 4 !== 0) {
      return this.addFault(`${at}/${name}`, 'is not base64');
    }
    const pem = Buffer.from(encoded, 'base64').toString('utf8');
    try {
      check(pem);
    } catch {
      return this.addFault(`${at}/${name}`, `does not hold a ${what} as PEM in base64`);
    }
    return pem;
  }
}

/** Returns the value when it is a mapping, otherwise undefined. */
export function toRecord(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}
