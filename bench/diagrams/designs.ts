import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { resourceIdentity } from '../../src/formats/design-file/design-component.js';
import { isObject } from '../../src/formats/documents/located-document.js';
import { objectsIn } from '../validation/corpus.js';

/** Something of the corpus that is imported as one design. */
export interface Sample {
  name: string;
  /** A file, or a folder whose manifests are sent as one. */
  path: string;
}

/** From 5 components to more than a picture shows one by one. */
export const SAMPLES: readonly Sample[] = [
  { name: 'Example: voting app (Compose)', path: 'compose/dockersamples__example-voting-app/docker-compose.yml' },
  { name: 'Dockprom (Compose)', path: 'compose/stefanprodan__dockprom/docker-compose.yml' },
  { name: 'Kafka stack (Compose)', path: 'compose/conduktor__kafka-stack-docker-compose/zk-multiple-kafka-multiple-schema-registry.yml' },
  { name: 'Bookinfo', path: 'kubernetes/istio__istio/bookinfo/platform/kube/bookinfo.yaml' },
  { name: 'Ingress NGINX', path: 'kubernetes/kubernetes__ingress-nginx/deploy/static/provider/cloud/deploy.yaml' },
  { name: 'Online Boutique', path: 'kubernetes/GoogleCloudPlatform__microservices-demo/release/kubernetes-manifests.yaml' },
  { name: 'cert-manager', path: 'kubernetes/knative__serving/third_party/cert-manager-latest/cert-manager.yaml' },
  { name: 'webserver (design)', path: 'meshery/designs/66f483b2-5ca5-457a-b149-46a661468c34/0.0.1/design.yml' },
  { name: 'Examples of Kubernetes', path: 'kubernetes/kubernetes__examples' },
  { name: 'Every manifest of the corpus', path: 'kubernetes' },
]; // prettier-ignore

/** The file to upload; of a folder it is a list of what its manifests hold, each resource once. */
export function fileOf(corpus: string, { path }: Sample): { name: string; bytes: Uint8Array<ArrayBuffer> } {
  const at = join(corpus, path);
  if (/\.ya?ml$/.test(path)) return { name: basename(path), bytes: new Uint8Array(readFileSync(at)) };
  const whole = objectsIn(at).filter(({ kind, metadata }) => kind !== 'List' && isObject(metadata) && typeof metadata['name'] === 'string'); // prettier-ignore
  const items = [...new Map(whole.map((each) => [resourceIdentity(each), each])).values()];
  return { name: 'list.json', bytes: new TextEncoder().encode(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })) }; // prettier-ignore
}
