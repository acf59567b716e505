import { readFile } from 'node:fs/promises';
import { isLoopback, type Settings } from './settings.js';

let isOwn = false;

/**
 * Calls to other machines go through HTTPS_PROXY but to what NO_PROXY names, those to this machine never do; all trust the caller's
 * own certificate authorities beside those of Node.js.
 */
export async function useOwnTransport(settings: Settings): Promise<void> {
  const { server, certificateAuthority: file } = settings;
  const httpsProxy = isLoopback(server) ? '' : settings.httpsProxy;
  if (!isOwn && !httpsProxy && file === undefined) return;
  isOwn = true;
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici');
  const ca = file === undefined ? undefined : [...(await rootCertificates()), await readFile(file, 'utf8')];
  const trust = ca ? { connect: { ca }, requestTls: { ca }, proxyTls: { ca } } : {};
  setGlobalDispatcher(new EnvHttpProxyAgent({ httpProxy: '', httpsProxy, ...trust }));
}

const rootCertificates = async (): Promise<readonly string[]> => (await import('node:tls')).rootCertificates;
