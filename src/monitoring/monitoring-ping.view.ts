import { TextField } from '../core/schema/view-fields.js';

/** The result of a ping: the kind and version of the server. */
export class MonitoringPingView {
  @TextField({ rest: true, description: 'The kind of the connection.' })
  kind!: string;

  @TextField({ rest: true, nullable: true, description: 'The version that the server names.' })
  version!: string | null;

  static fromFacts(this: void, kind: string, { version }: Record<string, unknown>): MonitoringPingView {
    return Object.assign(new MonitoringPingView(), { kind, version: typeof version === 'string' ? version : null });
  }
}
