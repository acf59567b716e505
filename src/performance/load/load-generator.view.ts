import { PaginatedView } from '../../core/listing/page.js';
import { FlagField, IntField, TextsField, WordField } from '../../core/schema/view-fields.js';
import type { KnownGenerator } from './load-generators.service.js';
import { LOAD_GENERATORS, type LoadGenerator } from './load-plan.js';

const REST = { rest: true } as const;

/** A load generator with its capabilities and limits. */
export class LoadGeneratorView {
  @WordField(LOAD_GENERATORS, { ...REST, description: 'As `load_generators` of a profile names it.' })
  name!: LoadGenerator;

  @FlagField({ ...REST, description: 'Whether this server has it; others are never used.' })
  available!: boolean;

  @TextsField({ ...REST, description: 'What it speaks: `http/1.1`, `http/2`, `grpc`.' })
  protocols!: string[];

  @TextsField({ ...REST, description: 'The load models that it drives: `open`, `closed`.' })
  load_models!: string[];

  @IntField({ ...REST, description: 'Connections that a run by it has at most.' })
  max_connections!: number;

  @FlagField({ ...REST, description: 'Whether its requests carry headers and cookies.' })
  request_headers!: boolean;

  @FlagField({ ...REST, description: 'Whether it needs an https address for `http/2`.' })
  http2_needs_tls!: boolean;

  static fromGenerator(this: void, generator: KnownGenerator): LoadGeneratorView {
    return Object.assign(new LoadGeneratorView(), {
      name: generator.name,
      available: generator.isInstalled,
      protocols: generator.protocols,
      load_models: generator.models,
      max_connections: generator.connections,
      request_headers: generator.carriesHeaders,
      http2_needs_tls: generator.needsTlsForHttp2,
    });
  }
}

export const LoadGeneratorPage = PaginatedView(LoadGeneratorView, 'generators', 'LoadGeneratorPage');
