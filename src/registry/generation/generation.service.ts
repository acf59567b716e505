import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import { ConnectionsService } from '../../connections/connections.service.js';
import type { Actor } from '../../core/access/actor.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { isSet } from '../../core/schema/input-fields.js';
import { DocumentReader } from '../../formats/document-reader.js';
import { SentFiles } from '../../formats/sent-file.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import { Clusters } from '../../kubernetes/clusters/clusters.service.js';
import { generateClusterModels, generateModels } from '../generators/generate.js';
import type { Generated, GeneratorConfig } from '../generators/generator.js';
import type { RegistrationResult } from '../registration/outcome.js';
import { RegistrationsService } from '../registration/registrations.service.js';
import type { GenerationInput } from '../registry.inputs.js';
import { registryPolicy } from '../registry.policy.js';
import { requireRegistryWriter } from '../registry-writers.js';
import { ChartRenderer } from './chart-renderer.js';

const KINDS = ['crd', 'openapi', 'helm', 'cluster'] as const;
type Kind = (typeof KINDS)[number];

/** What the members of `config` must be. */
const CONFIG: Record<string, 'text' | 'flag'> = {
  kind: 'text',
  model: 'text',
  version: 'text',
  category: 'text',
  connection_id: 'text',
  register: 'flag',
};

interface Wish {
  kind?: Kind;
  connectionId?: string;
  register: boolean;
  config: GeneratorConfig;
}

/** Makes models of definitions, API documents, charts and clusters, and registers them. */
@Injectable()
export class GenerationService {
  constructor(
    private readonly sent: SentFiles,
    private readonly documents: DocumentReader,
    private readonly pool: WorkerPool,
    private readonly charts: ChartRenderer,
    private readonly connections: ConnectionsService,
    private readonly clusters: Clusters,
    private readonly registrations: RegistrationsService,
  ) {}

  /**
   * @throws InvalidRequest when the source is nothing that is known here, or nothing of it is sound; NotFound for a
   * connection that the actor does not see; RemoteFailure and ClusterError when the source cannot be reached
   */
  async generate(
    actor: Actor,
    input: GenerationInput,
    progress: (value: object) => void = () => undefined,
  ): Promise<RegistrationResult> {
    const wish = this.check(actor, input);
    progress({ stage: 'reading' });
    const { contents, faults, warnings } = await this.read(actor, input.source, wish);
    progress({ stage: 'registering', models: contents.length, components: componentsIn(contents) });
    const failed = new Set(faults.map(({ path, pointer }) => `${path} ${pointer ?? ''}`)).size;
    return this.registrations.take(actor, { contents, faults, failed, warnings }, { register: wish.register });
  }

  /** @throws Forbidden, or InvalidRequest naming every member of `config` that is not what it must be */
  check(actor: Actor, input: GenerationInput): Wish {
    requireRegistryWriter(actor, registryPolicy.generate);
    return wishOf(input);
  }

  private async read(actor: Actor, source: string, { kind, connectionId, config }: Wish): Promise<Generated> {
    const text = source.trim();
    const cluster = connectionId ?? (validate(text) ? text : undefined);
    if (kind === 'cluster' || (kind === undefined && cluster !== undefined))
      return this.ofCluster(actor, cluster, config);
    const isUrl = /^https?:\/\/\S+$/i.test(text);
    const file = isUrl ? await this.sent.find({ url: text }, []) : { path: 'source', bytes: Buffer.from(source) };
    return generateModels(file, {
      pool: this.pool,
      limits: this.documents.limits,
      config: { ...config, ...(isUrl ? { sourceUri: text } : {}) },
      kind,
      render: await this.charts.renderer(),
    });
  }

  private async ofCluster(actor: Actor, id: string | undefined, config: GeneratorConfig): Promise<Generated> {
    if (!id || !validate(id))
      throw InvalidRequest.at('/source', 'must be the id of a connection', 'Send the id of a kubernetes connection.');
    const connection = await this.connections.get(actor, id);
    if (connection.kind !== 'kubernetes')
      throw InvalidRequest.at('/source', `is a connection of the kind ${connection.kind}, not of a cluster`);
    const client = await this.clusters.clientOf(connection);
    const { gitVersion, documents, definitions } = await client.describe();
    const { limits } = this.documents;
    const { category } = config;
    const input = { name: connection.name, version: gitVersion, documents, definitions, limits, config: { category } };
    return generateClusterModels(input, this.pool);
  }
}

const componentsIn = (contents: Generated['contents']): number =>
  contents.reduce((sum, { components }) => sum + components.length, 0);

function wishOf({ config = {} }: GenerationInput): Wish {
  const errors = Object.entries(config).flatMap(([name, value]) => {
    const pointer = `/config/${name}`;
    if (!Object.hasOwn(CONFIG, name))
      return [{ pointer, detail: `is not known; ${Object.keys(CONFIG).join(', ')} are` }];
    if (CONFIG[name] === 'flag') return isFlag(value) ? [] : [{ pointer, detail: 'must be true or false' }];
    if (typeof value !== 'string' || value === '') return [{ pointer, detail: 'must be text' }];
    return name === 'kind' && !isKind(value) ? [{ pointer, detail: `must be one of ${KINDS.join(', ')}` }] : [];
  });
  if (errors.length > 0) throw new InvalidRequest(errors.map((e) => `${e.pointer} ${e.detail}`).join('; '), { errors });
  const { kind, model, version, category, connection_id, register } = config as Record<string, string | undefined>;
  return {
    kind: kind as Kind | undefined,
    connectionId: connection_id,
    register: isSet(register, true),
    config: definedOnly({ model, version, category }),
  };
}

const isFlag = (value: unknown): boolean => [true, false, 'true', 'false'].includes(value as never);
const isKind = (value: string): value is Kind => (KINDS as readonly string[]).includes(value);
const definedOnly = (given: Record<string, string | undefined>): GeneratorConfig =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
