import type { HandOverView } from './cluster-import.view.js';
import type { LeftOutReason, Manager } from './left-out.js';

/** How each tool lets go of objects that it manages without deleting them, once a deployment has adopted them. */
export function describeHandOver(reasons: readonly LeftOutReason[]): HandOverView[] {
  return TOOLS.flatMap(({ code, tool, describe }) => {
    const own = reasons.filter((one) => one.code === code);
    const owners = new Map(own.flatMap(({ owner }) => (owner ? [[JSON.stringify(owner), owner] as const] : [])));
    const steps = [...owners.values()].flatMap(describe);
    return own.length > 0 ? [{ tool, steps: steps.length > 0 ? steps : describe(undefined) }] : [];
  });
}

interface Tool {
  code: LeftOutReason['code'];
  tool: HandOverView['tool'];
  describe: (owner: Manager | undefined) => string[];
}

const inNamespace = (namespace: string | null | undefined): string => (namespace ? ` -n ${namespace}` : '');

const TOOLS: readonly Tool[] = [
  {
    code: 'ARGOCD',
    tool: 'Argo CD',
    describe: (owner) => {
      const name = owner?.name ?? '<application>';
      return [
        `argocd app set ${name} --sync-policy none`,
        'Deploy the design with adopt.',
        `argocd app delete ${name} --cascade=false`,
      ];
    },
  },
  {
    code: 'FLUX',
    tool: 'Flux',
    describe: (owner) => {
      const [kind, name] = [owner?.kind.toLowerCase() ?? 'kustomization', owner?.name ?? '<name>'];
      const place = inNamespace(owner?.namespace);
      return [
        // What is suspended is deleted without the objects that it has applied.
        `flux suspend ${kind} ${name}${place}`,
        'Deploy the design with adopt.',
        `flux delete ${kind} ${name}${place} --silent`,
      ];
    },
  },
];
