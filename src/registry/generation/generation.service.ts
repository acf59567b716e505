import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import type { Actor } from '../../core/access/actor.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { assertSameWhereSent } from '../../core/rest/alternatives.js';
import { parseFlag } from '../../core/schema/input-fields.js';
import { LocalRenderEngines } from '../../formats/engines/local-render-engines.js';
import { DocumentReader } from '../../formats/documents/document-reader.js';
import type { SourceFile } from '../../formats/sources/source-file.js';
import { UploadedFiles } from '../../formats/sources/uploaded-files.service.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { generateModels } from '../../generators/generate.js';
import type { GenerationResult, GeneratorConfig } from '../../generators/generator.js';
import type { RegistrationResult } from '../registration/registration-result.js';
import { PackageRegistrationService } from '../registration/package-registration.service.js';
import type { GENERATION_KINDS, GenerationInput } from '../entities/registry.inputs.js';
import { assertRegistryWriter, registryPolicy } from '../entities/registry.policy.js';
import { ClusterGenerationService } from './cluster-generation.service.js';

type GenerationKind = (typeof GENERATION_KINDS)[number];

type RenderChart = (files: ReadonlyMap<string, SourceFile>) => Promise<string>;

interface GenerationRequest {
  kind?: GenerationKind;
  connectionId?: string;
  register: boolean;
  config: GeneratorConfig;
}

const MAX_URL_LENGTH = 2_048;

/** Generates models from definitions, API documents, charts and clusters, and registers them. */
@Injectable()
export class GenerationService {
  constructor(
    private readonly sent: UploadedFiles,
    private readonly documents: DocumentReader,
    private readonly pool: WorkerPool,
    private readonly engines: LocalRenderEngines,
    private readonly clusters: ClusterGenerationService,
    private readonly registrations: PackageRegistrationService,
  ) {}

  /**
   * @throws InvalidRequest when the source is of no known kind, or contains nothing valid; NotFound for a
   * connection that the actor does not see; RemoteFailure and ClusterError when the source cannot be reached
   */
  async generate(
    actor: Actor,
    input: GenerationInput,
    progress: (value: object) => void = () => undefined,
  ): Promise<RegistrationResult> {
    const request = this.authorizeAndParse(actor, input);
    progress({ stage: 'reading' });
    const { contents, faults, warnings } = await this.generateFromSource(actor, input.source, request);
    progress({ stage: 'registering', models: contents.length, components: countComponents(contents) });
    const failed = new Set(faults.map(({ path, pointer }) => `${path} ${pointer ?? ''}`)).size;
    return this.registrations.registerDefinitions(
      actor,
      { contents, faults, failed, warnings },
      { register: request.register },
    );
  }

  /** @throws Forbidden */
  authorizeAndParse(actor: Actor, input: GenerationInput): GenerationRequest {
    assertRegistryWriter(actor, registryPolicy.generate);
    return parseRequest(input);
  }

  private async generateFromSource(
    actor: Actor,
    source: string,
    { kind, connectionId, config }: GenerationRequest,
  ): Promise<GenerationResult> {
    const text = source.trim();
    const isUrl = /^https?:\/\/\S+$/i.test(text);
    if (isUrl || validate(text)) assertSameWhereSent({ '/source': text, '/config/connection_id': connectionId });
    const cluster = connectionId ?? (validate(text) ? text : undefined);
    if (kind === 'cluster' || (kind === undefined && cluster !== undefined))
      return this.clusters.generate(actor, cluster, config);
    if (isUrl && text.length > MAX_URL_LENGTH)
      throw InvalidRequest.forField('/source', `must be a URL of at most ${MAX_URL_LENGTH} characters`);
    const file = isUrl ? await this.sent.fetch(text, '/source') : { path: 'source', bytes: Buffer.from(source) };
    return generateModels(file, {
      pool: this.pool,
      limits: this.documents.limits,
      config: { ...config, ...(isUrl ? { sourceUri: text } : {}) },
      kind,
      render: await this.createChartRenderer(),
    });
  }

  /** How charts are rendered; undefined without Helm. */
  private async createChartRenderer(): Promise<RenderChart | undefined> {
    const { helm } = this.engines;
    if (!(await helm.isAvailable())) return undefined;
    return async (files) => (await helm.template(files, { releaseName: 'release', namespace: 'default' })).text;
  }
}

const countComponents = (contents: GenerationResult['contents']): number =>
  contents.reduce((sum, { components }) => sum + components.length, 0);

function parseRequest({ config = {} }: GenerationInput): GenerationRequest {
  const { kind, model, version, category, connection_id, register } = config as Record<string, string | undefined>;
  return {
    kind: kind as GenerationKind | undefined,
    connectionId: connection_id,
    register: parseFlag(register, true),
    config: definedOnly({ model, version, category }),
  };
}

const definedOnly = (given: Record<string, string | undefined>): GeneratorConfig =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
