import { type Dispatcher, Pool } from 'undici';
import { AppError } from '../errors/app-error.js';
import { ProxyFailure } from './connection-failure.js';

/**
 * Connections through a proxy. A proxy that hangs up instead of opening a tunnel is a failure of the call: undici takes that one
 * code (`UND_ERR_SOCKET`) for a stale socket, and would ask the proxy again and again.
 */
export class ProxyPool extends Pool {
  // The declared overloads take a callback or answer a promise, and have no type in common.
  override connect(...args: never[]): never {
    const connect = super.connect.bind(this) as (...args: never[]) => Promise<unknown>;
    return openTunnel(() => connect(...args)) as never;
  }
}

/** @throws ProxyFailure when the proxy makes none */
async function openTunnel(connect: () => Promise<unknown>): Promise<Dispatcher.ConnectData> {
  const tunnel = (await connect().catch((error: unknown) => {
    throw error instanceof AppError ? error : ProxyFailure.fromError(error);
  })) as Dispatcher.ConnectData;
  if (tunnel.statusCode === 200) return tunnel;
  tunnel.socket.on('error', () => undefined).destroy();
  throw ProxyFailure.refused(tunnel.statusCode);
}
