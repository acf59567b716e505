import { readFile } from 'node:fs/promises';
import type { Settings } from './settings.js';

let isSet = false;

/** Calls go through the proxies of the environment, and trust the caller's own certificate authorities beside those of Node.js. */
export async function useOwnTransport(settings: Settings): Promise<void> {
  if (isSet || !settings.needsOwnTransport) return;
  isSet = true;
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici');
  const file = settings.certificateAuthority;
  const ca = file === undefined ? undefined : [...(await rootCertificates()), await readFile(file, 'utf8')];
  setGlobalDispatcher(new EnvHttpProxyAgent(ca ? { connect: { ca }, requestTls: { ca }, proxyTls: { ca } } : {}));
}

const rootCertificates = async (): Promise<readonly string[]> => (await import('node:tls')).rootCertificates;
