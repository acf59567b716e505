import type { JsonObject } from '../core/json/json.js';
import { type ModelDefinition, OWN_REGISTRANT } from '../formats/definitions/definitions.js';
import { toModelCategory, type ModelCategory } from './model-category.js';
import { MAX_DESCRIPTION_LENGTH } from './build-component.js';
import { toDisplayName } from './display-name.js';
import { type GeneratorConfig } from './generator.js';
import { truncateText } from './truncate-text.js';

const DEFAULT_VERSION = 'v1.0.0';
/** Domains below which many projects have their API groups; the project is what stands before them. */
const SHARED_DOMAINS = ['k8s.io', 'x-k8s.io', 'kubernetes.io', 'k8s.aws', 'github.io', 'gitlab.io'];
/** Domains of countries that sell names one level lower. */
const TWO_LEVEL_DOMAINS = /\.(?:co|com|net|org|ac|edu|gov)\.[a-z]{2}$/;

/** The properties of the resulting model that the content of a source contains. */
export interface ModelFacts {
  name: string;
  displayName?: string;
  version?: string;
  description?: string;
  category: ModelCategory;
  metadata?: JsonObject;
}

/** The model that components go to: what the caller says comes before what the content says. */
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
 * Name of the model that an API group belongs to: the name in its domain, so that groups of one project come together.
 * `cert-manager.io` and `acme.cert-manager.io` → `cert-manager`; below the shared domains of Kubernetes all that stands before them:
 * `kueue.x-k8s.io` → `kueue`, `gateway.networking.k8s.io` → `gateway-networking`. A group without a domain is its own name.
 */
export function modelNameOfGroup(group: string): string {
  const shared = SHARED_DOMAINS.find((domain) => group.endsWith(`.${domain}`));
  if (shared !== undefined) return group.slice(0, -shared.length - 1).replaceAll('.', '-');
  const labels = group.split('.');
  return labels.at(TWO_LEVEL_DOMAINS.test(group) ? -3 : -2) ?? group;
}

/** A version as content gives it, when it is one: `unversioned` and `devel` are none. */
export function parseVersion(text: string): string | undefined {
  const version = text.trim();
  return /^[A-Za-z]{0,12}\d[\w.+-]{0,100}$/.test(version) ? version : undefined;
}
