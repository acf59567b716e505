import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Env } from '../../../core/config/env.js';
import { AppError, InvalidRequest } from '../../../core/errors/app-error.js';
import { isObject } from '../../../core/json/json.js';
import { WorkerPool } from '../../../core/workers/worker-pool.js';
import { DocumentReader } from '../../../formats/documents/document-reader.js';
import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import type { ControllerInstallation } from '../controller-installation.entity.js';
import { listAdapters } from './adapters.js';
import { buildAdapterObjects, buildOperatorObjects } from './operator-objects.js';

export const OPERATOR = 'operator';
const ADAPTER_PREFIX = 'adapter-';

export const adapterInstallation = (adapter: string): string => ADAPTER_PREFIX + adapter;

/** Builds the objects of the operator and of adapters from the settings. */
@Injectable()
export class ControllerManifestsService {
  readonly adapters: ReturnType<typeof listAdapters>;

  constructor(
    private readonly env: Env,
    private readonly pool: WorkerPool,
  ) {
    this.adapters = listAdapters(env.ADAPTER_IMAGES);
  }

  /**
   * Builds the objects in the order in which they are applied.
   * @throws AppError OPERATOR_MANIFEST_INVALID
   * @throws AppError NOT_FOUND for an adapter that is no longer in the settings
   */
  async build({ name, port }: Pick<ControllerInstallation, 'name' | 'port'>): Promise<KubernetesObject[]> {
    const { OPERATOR_NAMESPACE: namespace } = this.env;
    if (name === OPERATOR) return this.buildOperator(namespace);
    const adapter = name.slice(ADAPTER_PREFIX.length);
    const known = this.adapters.get(adapter);
    if (!known)
      throw new AppError(404, 'NOT_FOUND', 'Not found', `adapter ${adapter} was not found`, {
        remedy: 'Name its image in ADAPTER_IMAGES.',
      });
    return buildAdapterObjects(namespace, { name: adapter, image: known.image, port: port ?? known.port });
  }

  private async buildOperator(namespace: string): Promise<KubernetesObject[]> {
    const {
      OPERATOR_IMAGE: operator,
      BROKER_IMAGE: broker,
      MESHSYNC_IMAGE: meshsync,
      OPERATOR_MANIFEST: path,
    } = this.env;
    return path ? this.readManifest(path) : buildOperatorObjects(namespace, { operator, broker, meshsync });
  }

  private async readManifest(path: string): Promise<KubernetesObject[]> {
    try {
      const bytes = new Uint8Array(await readFile(path));
      const documents = await new DocumentReader(this.pool).parse({ path: 'OPERATOR_MANIFEST', bytes });
      return documents.map(({ value }) => toObject(value));
    } catch (error) {
      const reason = error instanceof AppError ? error.message : 'it cannot be read';
      throw new AppError(
        500,
        'OPERATOR_MANIFEST_INVALID',
        'Invalid setting',
        `the file of OPERATOR_MANIFEST is not valid: ${reason}`,
        {
          remedy: 'Ask the operator of the server to correct the file of OPERATOR_MANIFEST.',
          cause: error,
        },
      );
    }
  }
}

function toObject(value: unknown): KubernetesObject {
  if (isKubernetesObject(value)) return value;
  throw new InvalidRequest('an object has no apiVersion, kind or name');
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  if (!isObject(value)) return false;
  const { apiVersion, kind, metadata } = value;
  return (
    typeof apiVersion === 'string' &&
    typeof kind === 'string' &&
    isObject(metadata) &&
    typeof metadata['name'] === 'string'
  );
}
