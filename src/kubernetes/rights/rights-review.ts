import { isObject } from '../../core/json/json.js';
import type { ClusterClient } from '../clusters/cluster-client.js';
import { ClusterError } from '../clusters/cluster-error.js';
import { sanitizeClusterText } from '../clusters/sanitize-cluster-text.js';
import type { RequiredRight } from './required-rights.js';

type Json = Record<string, unknown>;

/** An RBAC rule in a SelfSubjectRulesReview. */
interface Rule {
  verbs: string[];
  apiGroups: string[];
  resources: string[];
  resourceNames: string[];
}

/** The required permissions on one kind of object, and which of them the credential has. */
export interface ReviewedRight {
  api_group: string;
  resource: string;
  verbs: string[];
  missing_verbs: string[];
  /** Null when nothing is missing. */
  consequence: string | null;
}

export interface ReviewedUser {
  username: string;
  groups: string[];
}

/** A namespace that does not exist: rules that apply in it apply in all namespaces. */
const NO_NAMESPACE = 'armature-rights-review-no-namespace';
const MAX_RULES = 5_000;
const MAX_WORDS = 500;
const MAX_GROUPS = 50;
const MAX_NAME_LENGTH = 300;
/** The maximum number of SelfSubjectAccessReviews, for clusters whose list of rules is incomplete. */
const MAX_QUESTIONS = 400;
const CONCURRENCY = 8;

interface GrantedRules {
  rules: Rule[];
  /** Whether other rules may grant permissions. */
  isIncomplete: boolean;
}

/** A namespace; undefined for all namespaces and for cluster-scoped kinds. */
type Namespace = string | undefined;

interface Question {
  right: RequiredRight;
  resource: string;
  namespace: Namespace;
}

/** Reviews the permissions of a client's credential on its cluster. */
export class RightsReview {
  private readonly granted = new Map<Namespace, Promise<GrantedRules>>();

  constructor(
    private readonly client: ClusterClient,
    private readonly signal?: AbortSignal,
  ) {}

  /**
   * Returns one entry per kind. Where the list of rules is incomplete, missing permissions are checked one by one.
   * @param namespace of namespaced kinds; default: all namespaces
   */
  async check(required: readonly RequiredRight[], namespace?: string): Promise<ReviewedRight[]> {
    const questions = required.flatMap((right) =>
      right.resources.map((resource): Question => ({
        right,
        resource,
        namespace: right.namespaced ? namespace : undefined,
      })),
    );
    const missing = new Map<Question, string[]>();
    const unsure: { question: Question; verb: string }[] = [];
    for (const question of questions) {
      const { rules, isIncomplete } = await this.getRules(question.namespace);
      const verbs = question.right.verbs.filter((verb) => !isGranted(rules, question, verb));
      missing.set(question, verbs);
      if (isIncomplete) unsure.push(...verbs.map((verb) => ({ question, verb })));
    }
    await this.askForEach(unsure.slice(0, MAX_QUESTIONS), missing);
    return questions.map((question) => {
      const { right, resource } = question;
      const missing_verbs = missing.get(question) ?? [];
      const consequence = missing_verbs.length > 0 ? right.consequence : null;
      return { api_group: right.apiGroup, resource, verbs: [...right.verbs], missing_verbs, consequence };
    });
  }

  /** Returns the user of the credential by SelfSubjectReview; null before Kubernetes 1.28. */
  async getUser(): Promise<ReviewedUser | null> {
    try {
      const status = await this.client.review('authentication.k8s.io', 'SelfSubjectReview', {}, this.signal);
      const { username, groups } = isObject(status['userInfo']) ? status['userInfo'] : {};
      return { username: text(username), groups: words(groups).slice(0, MAX_GROUPS) };
    } catch (error) {
      if (error instanceof ClusterError && (error.kind === 'notFound' || error.kind === 'forbidden')) return null;
      throw error;
    }
  }

  private getRules(namespace: Namespace): Promise<GrantedRules> {
    const known = this.granted.get(namespace) ?? this.readRules(namespace);
    this.granted.set(namespace, known);
    return known;
  }

  private async readRules(namespace: Namespace): Promise<GrantedRules> {
    const spec = { namespace: namespace ?? NO_NAMESPACE };
    const status = await this.client.review('authorization.k8s.io', 'SelfSubjectRulesReview', spec, this.signal);
    const rules = records(status['resourceRules']).slice(0, MAX_RULES).map(toRule);
    return { rules, isIncomplete: status['incomplete'] === true };
  }

  private async askForEach(
    unsure: { question: Question; verb: string }[],
    missing: Map<Question, string[]>,
  ): Promise<void> {
    const open = unsure.values();
    const lane = async (): Promise<void> => {
      for (const { question, verb } of open)
        if (await this.ask(question, verb))
          missing.set(
            question,
            (missing.get(question) ?? []).filter((each) => each !== verb),
          );
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  }

  private async ask({ right, resource: whole, namespace }: Question, verb: string): Promise<boolean> {
    const [resource, subresource] = whole.split('/');
    const resourceAttributes = { group: right.apiGroup, resource, subresource, verb, namespace };
    const status = await this.client.review(
      'authorization.k8s.io',
      'SelfSubjectAccessReview',
      { resourceAttributes },
      this.signal,
    );
    return status['allowed'] === true;
  }
}

/** Ignores rules that are restricted to resource names. */
const isGranted = (rules: Rule[], { right, resource }: Question, verb: string): boolean =>
  rules.some(
    (rule) =>
      rule.resourceNames.length === 0 &&
      includes(rule.verbs, verb) &&
      includes(rule.apiGroups, right.apiGroup) &&
      (includes(rule.resources, resource) || rule.resources.includes(`*/${resource.split('/')[1] ?? ''}`)),
  );

const toRule = (rule: Json): Rule => ({
  verbs: words(rule['verbs']),
  apiGroups: words(rule['apiGroups']),
  resources: words(rule['resources']),
  resourceNames: words(rule['resourceNames']),
});

const includes = (granted: string[], word: string): boolean => granted.includes(word) || granted.includes('*');
const text = (value: unknown): string => sanitizeClusterText(value, MAX_NAME_LENGTH);
const records = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const words = (value: unknown): string[] => (Array.isArray(value) ? value.slice(0, MAX_WORDS).map(text) : []);
