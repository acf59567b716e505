import { type Dispatcher, Pool } from 'undici';
import { AppError } from '../errors/app-error.js';
import { ProxyFailure } from './connection-failure.js';

/**
 * Connections through a proxy. undici treats `UND_ERR_SOCKET`, the error of a proxy that closes the connection
 * instead of opening a tunnel, as a stale socket and retries endlessly; this pool fails the call instead.
 */
export class ProxyPool extends Pool {
  // The overloads of `connect` take a callback or return a promise, and have no type in common.
  override connect(...args: never[]): never {
    const connect = super.connect.bind(this) as (...args: never[]) => Promise<unknown>;
    return openTunnel(() => connect(...args)) as never;
  }
}

/** @throws ProxyFailure when the proxy does not open a tunnel */
async function openTunnel(connect: () => Promise<unknown>): Promise<Dispatcher.ConnectData> {
  const tunnel = (await connect().catch((error: unknown) => {
    throw error instanceof AppError ? error : ProxyFailure.fromError(error);
  })) as Dispatcher.ConnectData;
  if (tunnel.statusCode === 200) return tunnel;
  tunnel.socket.on('error', () => undefined).destroy();
  throw ProxyFailure.refused(tunnel.statusCode);
}
