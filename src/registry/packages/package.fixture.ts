import { gzipSync } from 'node:zlib';
import { type InvalidRequest } from '../../core/errors/app-error.js';
import { DEFAULT_FORMAT_LIMITS, type FormatLimits } from '../../formats/sources/format-limits.js';
import { tarOf } from '../../formats/archives/tar.fixture.js';
import { type PackageContent } from './package-content.js';
import { readPackage } from './package-reader.js';

/** Content of a model file, changed by `over`. */
export function aModel(over: object = {}): object {
  return {
    schemaVersion: 'models.meshery.io/v1beta1',
    version: 'v1.0.0',
    name: 'shop',
    displayName: 'Shop',
    registrant: { kind: 'github' },
    category: { name: 'Database' },
    model: { version: '1.2.3' },
    ...over,
  };
}

/** Content of a component file that names the model of `aModel`, changed by `over`. */
export function aComponent(over: object = {}, own: object = {}): object {
  const { model, name, registrant } = aModel() as Record<string, unknown>;
  return {
    schemaVersion: 'components.meshery.io/v1beta1',
    model: { name, registrant, model },
    component: { kind: 'Thing', version: 'shop.example/v1', schema: '{"type":"object"}', ...own },
    ...over,
  };
}

/** Content of a relationship file that names the model of `aModel`, changed by `over`. */
export function aRelationship(over: object = {}): object {
  const selectors = [{ allow: { from: [{ kind: 'Thing' }], to: [{ kind: 'Other' }] } }];
  const model = { name: 'shop', model: { version: '1.2.3' } };
  const type = { kind: 'edge', type: 'non-binding', subType: 'network' };
  return { schemaVersion: 'relationships.meshery.io/v1alpha3', version: 'v1.0.0', ...type, model, selectors, ...over };
}

export type Files = Record<string, object | string | Buffer>;

/** A .tar.gz of these files; objects are written as JSON. */
export async function aPackage(files: Files): Promise<Buffer> {
  const texts = Object.entries(files).map(
    ([path, file]) => [path, typeof file === 'string' || Buffer.isBuffer(file) ? file : JSON.stringify(file)] as const,
  );
  return gzipSync(await tarOf(Object.fromEntries(texts)));
}

export async function readFiles(files: Files, limits: Partial<FormatLimits> = {}): Promise<PackageContent> {
  return readPackage({ path: 'package.tar.gz', bytes: await aPackage(files) }, { ...DEFAULT_FORMAT_LIMITS, ...limits });
}

/** The faults of a package that is refused as a whole. */
export function refusal(reading: Promise<unknown>): Promise<InvalidRequest> {
  return reading.then(
    () => Promise.reject(new Error('was taken')),
    (error: InvalidRequest) => error,
  );
}

/** The models with the kinds of their components. */
export const outline = ({ models }: PackageContent) =>
  models.map(
    ({ model, components }) =>
      `${model.registrant.hostname} ${model.name} ${model.version}: ${components.map(({ kind }) => kind).join(' ')}`,
  );
/** Each fault as `path#pointer: detail`. */
export const faultsOf = ({ faults }: PackageContent) =>
  faults.map(({ path, pointer, detail }) => `${path}${pointer ?? ''}: ${detail}`);
/** A file that is no archive. */
export const text = (value: object | string) => ({
  path: 'upload',
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
});
