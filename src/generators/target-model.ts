import type { JsonObject } from '../core/json/json.js';
import { type ModelDefinition, OWN_REGISTRANT } from '../formats/definitions/definitions.js';
import { toModelCategory, type ModelCategory } from './model-category.js';
import { MAX_DESCRIPTION_LENGTH } from './build-component.js';
import { toDisplayName } from './display-name.js';
import { type GeneratorConfig } from './generator.js';
import { truncateText } from './truncate-text.js';

const DEFAULT_VERSION = 'v1.0.0';
/** Domains that many projects share for their API groups; the project is the part before the domain. */
const SHARED_DOMAINS = ['k8s.io', 'x-k8s.io', 'kubernetes.io', 'k8s.aws', 'github.io', 'gitlab.io'];
/** Country domains with a second level, such as `co.uk`. */
const TWO_LEVEL_DOMAINS = /\.(?:co|com|net|org|ac|edu|gov)\.[a-z]{2}$/;

/** The properties of a model that the content of a source contains. */
export interface ModelFacts {
  name: string;
  displayName?: string;
  version?: string;
  description?: string;
  category: ModelCategory;
  metadata?: JsonObject;
}

/** The model of generated components; the configuration takes precedence over the content. */
export function buildTargetModel(config: GeneratorConfig, facts: ModelFacts): ModelDefinition {
  const name = config.model || facts.name;
  return {
    name,
    displayName: (name === facts.name ? facts.displayName : undefined) ?? toDisplayName(name),
    version: config.version || facts.version || DEFAULT_VERSION,
    description: truncateText(facts.description ?? '', MAX_DESCRIPTION_LENGTH),
    category: config.category ? toModelCategory(config.category) : facts.category,
    subCategory: '',
    registrant: config.registrant ?? OWN_REGISTRANT,
    metadata: { isAnnotation: false, ...facts.metadata },
    rest: {},
  };
}

/**
 * The model name of an API group: the name in its domain, so that groups of one project share a model.
 * `cert-manager.io` and `acme.cert-manager.io` → `cert-manager`; below shared domains, everything before the domain:
 * `kueue.x-k8s.io` → `kueue`, `gateway.networking.k8s.io` → `gateway-networking`. A group without a domain is its own name.
 */
export function modelNameOfGroup(group: string): string {
  const shared = SHARED_DOMAINS.find((domain) => group.endsWith(`.${domain}`));
  if (shared !== undefined) return group.slice(0, -shared.length - 1).replaceAll('.', '-');
  const labels = group.split('.');
  return labels.at(TWO_LEVEL_DOMAINS.test(group) ? -3 : -2) ?? group;
}

/** The text when it is a version; undefined otherwise, as for `unversioned` and `devel`. */
export function parseVersion(text: string): string | undefined {
  const version = text.trim();
  return /^[A-Za-z]{0,12}\d[\w.+-]{0,100}$/.test(version) ? version : undefined;
}
