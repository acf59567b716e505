import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { ConnectionKindRegistry } from '../connections/kinds/connection-kind.registry.js';
import { toRemoteFailure } from '../core/outbound/redact-secrets.js';
import { MonitoringClient, type MonitoringServer } from './monitoring-client.js';
import { MonitoringPingView } from './monitoring-ping.view.js';

/** Pings a Prometheus or Grafana server. Unlike the ping of a connection it does not change the status of the connection. */
@Injectable()
export class MonitoringPingsService {
  constructor(
    private readonly client: MonitoringClient,
    private readonly kinds: ConnectionKindRegistry,
  ) {}

  /** @throws RemoteFailure 502 or 504 */
  async ping(actor: Actor, id: string, server: MonitoringServer): Promise<MonitoringPingView> {
    const { connection, metadata, secret } = await this.client.open(actor, id, server);
    const { kind } = connection;
    try {
      return MonitoringPingView.fromFacts(kind, (await this.kinds.get(kind).probe?.(metadata, secret)) ?? {});
    } catch (error) {
      throw toRemoteFailure(error, secret);
    }
  }
}
