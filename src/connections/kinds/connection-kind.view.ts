import { PaginatedView } from '../../core/listing/page.js';
import { FlagField, MapField, TextField } from '../../core/schema/view-fields.js';
import type { ConnectionKind } from './connection-kind.js';

/** The schemas of one kind of connection. */
export class ConnectionKindView {
  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true })
  type!: string;

  @TextField({ rest: true })
  sub_type!: string;

  @MapField({ rest: true, description: 'JSON Schema of the metadata.' })
  metadata_schema!: Record<string, unknown>;

  @MapField({ rest: true, description: 'JSON Schema of what credential_secret, or the secret of a credential, holds.' })
  credential_schema!: Record<string, unknown>;

  @FlagField({ rest: true, description: 'Whether connections of this kind can be pinged.' })
  ping!: boolean;

  static fromKind(this: void, kind: ConnectionKind): ConnectionKindView {
    return Object.assign(new ConnectionKindView(), {
      kind: kind.name,
      type: kind.type,
      sub_type: kind.subType,
      metadata_schema: kind.metadata ?? { type: 'object' },
      credential_schema: kind.secret ?? { type: 'object' },
      ping: 'probe' in kind,
    });
  }
}

export const ConnectionKindPage = PaginatedView(ConnectionKindView, 'kinds', 'ConnectionKindPage');
