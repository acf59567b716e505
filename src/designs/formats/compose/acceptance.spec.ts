import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Agent, request } from 'undici';
import { sharedCluster } from '../../../../test/support/cluster.js';
import { requires } from '../../../../test/support/requirements.js';
import { toResource } from '../../../formats/design-file/design-component.js';
import { parseDocuments } from '../../../formats/documents/parse-documents.js';
import type { JsonObject } from '../../../core/json/json.js';
import { composeFormat } from './compose-format.js';
import { importCompose } from './compose-input.fixture.js';

/** Every kind that a conversion makes, and its collection in the API. */
const collections: Record<string, string> = {
  ConfigMap: 'api/v1/namespaces/default/configmaps',
  CronJob: 'apis/batch/v1/namespaces/default/cronjobs',
  DaemonSet: 'apis/apps/v1/namespaces/default/daemonsets',
  Deployment: 'apis/apps/v1/namespaces/default/deployments',
  HorizontalPodAutoscaler: 'apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
  Ingress: 'apis/networking.k8s.io/v1/namespaces/default/ingresses',
  Job: 'apis/batch/v1/namespaces/default/jobs',
  PersistentVolumeClaim: 'api/v1/namespaces/default/persistentvolumeclaims',
  Pod: 'api/v1/namespaces/default/pods',
  Secret: 'api/v1/namespaces/default/secrets',
  Service: 'api/v1/namespaces/default/services',
  StatefulSet: 'apis/apps/v1/namespaces/default/statefulsets',
};

const everything = `
x-base: &base {image: nginx, restart: unless-stopped}
services:
  web:
    <<: *base
    container_name: The_Web
    command: nginx -g "daemon off;"
    entrypoint: /docker-entrypoint.sh
    working_dir: /srv
    environment: {A: "1", B.C: "$$(A) $$$$", "odd-name": x}
    ports: ["8080:80", "8080:80/udp", "8443:443", "9000-9003:9000-9003", "127.0.0.1:80:80"]
    expose: ["80", "7000-7002/sctp"]
    volumes: ["data:/data", "data:/more:ro", "/host:/host", "./x:/x", {type: tmpfs, target: /t, tmpfs: {size: 10m}},
      {type: image, source: "busybox:1", target: /img}, {type: volume, source: data, target: /sub, volume: {subpath: a/b}}]
    tmpfs: ["/run:size=1m,mode=755", "/tmp"]
    shm_size: 64m
    configs: [c, {source: c, target: /etc/c.d/c.ini, mode: 0440, uid: "1", gid: "1"}]
    secrets: [s, {source: s, target: other}]
    healthcheck: {test: [CMD, curl, -f, localhost], interval: 1500ms, timeout: 1s, retries: 3, start_period: 1m}
    user: "1000:1000"
    group_add: ["20", audio]
    cap_add: [NET_ADMIN, CAP_SYS_TIME]
    cap_drop: [ALL]
    security_opt: ["no-new-privileges:true", "apparmor=unconfined", "seccomp:unconfined", "label:user:x"]
    read_only: true
    hostname: Web.Example
    domainname: example
    dns: [1.1.1.1, 8.8.8.8, 9.9.9.9, 1.0.0.1]
    dns_search: example.com
    dns_opt: ["ndots:2", use-vc]
    extra_hosts: ["a.b:10.0.0.1", "host.docker.internal:host-gateway", "v6:[::1]"]
    stop_grace_period: 1m30s
    sysctls: {net.ipv4.tcp_syncookies: 1, net.core.somaxconn: 1024}
    ulimits: {nofile: {soft: 1, hard: 2}}
    labels: {traefik.enable: "true", "bad key!": x, "traefik.http.middlewares.a.headers.customrequestheaders.X-Forwarded-Proto.long": https}
    annotations: [a.b/c=d]
    platform: linux/arm/v7
    pull_policy: always
    stdin_open: true
    tty: true
    post_start: [{command: [echo, hi]}]
    pre_stop: [{command: echo bye}]
    deploy:
      replicas: 3
      labels: {tier: front, "not a label": "value with spaces"}
      update_config: {parallelism: 2, order: start-first}
      resources: {limits: {cpus: "1.5", memory: 1g, pids: 10}, reservations: {cpus: "0.25", memory: 64M, devices: [{capabilities: [gpu], count: 1}]}}
      placement: {constraints: [node.role == worker, node.hostname != h, node.labels.x == y, "engine.labels.operatingsystem == ubuntu 14.04"],
        preferences: [{spread: node.labels.zone}], max_replicas_per_node: 1}
  agent: {<<: *base, deploy: {mode: global}, pid: host, ipc: host, network_mode: host, privileged: true, security_opt: ["no-new-privileges"], sysctls: {net.ipv4.tcp_syncookies: 1, kernel.shm_rmid_forced: 1}}
  sidecar: {image: y, network_mode: "service:web", volumes: ["data:/data", "other:/other"]}
  once: {image: x, restart: "on-failure:3", volumes_from: ["web:ro"]}
  job: {image: x, deploy: {mode: replicated-job, replicas: 2}}
  cron: {image: x, restart: "no", labels: {kompose.cronjob.schedule: "@daily", kompose.cronjob.concurrency_policy: Forbid}}
  state: {image: x, volumes: ["own:/own"], ports: ["5432"], labels: {kompose.controller.type: statefulset, kompose.volume.storage-class-name: fast}}
  lb: {image: x, ports: ["80", "80/udp"], labels: {kompose.service.type: loadbalancer, kompose.service.external-traffic-policy: local}}
  np: {image: x, ports: ["80:8080"], labels: {kompose.service.type: nodeport, kompose.service.nodeport.port: "30080", kompose.service.expose: "*.example.com/a,b.example.com"}}
  hl: {image: x, labels: {kompose.service.type: headless, kompose.hpa.memory: 70, kompose.hpa.replicas.max: 5}}
  3Scale_API.v2: {image: x, ports: ["80"], labels: {kompose.service.expose: "true", kompose.init.containers.image: busybox, kompose.init.containers.command: '["true"]'}}
  a-service-with-a-name-that-is-much-longer-than-the-sixty-three-characters-of-a-label: {image: x, ports: ["80"], volumes: [/data], tmpfs: [/t]}
  another-service-with-a-name-of-more-than-fifty-two-characters: {image: x, restart: "no", labels: {kompose.cronjob.schedule: "@daily"}}
volumes: {data: {}, other: , own: }
configs: {c: {content: "a=1"}}
secrets: {s: {environment: S}}
`;

requires('KUBEBUILDER_ASSETS', 'a Kubernetes API server', () => {
  let ask: (resource: JsonObject) => Promise<string | undefined>;
  let agent: Agent;

  beforeAll(async () => {
    const { url, ca, tokens } = await sharedCluster({ bare: true });
    agent = new Agent({ connect: { ca } });
    const headers = { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/apply-patch+yaml' };
    ask = async (resource) => {
      const { kind, metadata } = resource as { kind: string; metadata: { name: string } };
      const path = `${url}/${collections[kind] ?? kind}/${metadata.name}`;
      const query = '?fieldManager=test&dryRun=All&fieldValidation=Strict&force=true';
      const answer = await request(path + query, {
        method: 'PATCH',
        headers,
        body: JSON.stringify(resource),
        dispatcher: agent,
      });
      const text = await answer.body.text();
      return answer.statusCode < 300 ? undefined : `${kind}/${metadata.name}: ${text}`;
    };
  }, 60_000);
  afterAll(() => agent.close());

  it('accepts every kind of resource that a Compose file becomes', async () => {
    const { design } = await importCompose(everything, { env: { S: 'x' } });
    const kinds = new Set(design.components.map(({ component }) => component.kind));
    expect([...kinds].sort()).toEqual(Object.keys(collections));
    const refused = await Promise.all(design.components.map((component) => ask(toResource(component))));
    expect(refused.filter((answer) => answer !== undefined)).toEqual([]);
  }, 60_000);

  requires('CORPUS_DIR', 'asked about the Compose files of the corpus', (corpus) => {
    it('accepts every resource that they become', async () => {
      const root = join(corpus, 'compose');
      const refused: string[] = [];
      let accepted = 0;
      for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
        if (
          !entry.isFile() ||
          !/\.ya?ml$/.test(entry.name) ||
          /output|expected/.test(join(entry.parentPath, entry.name))
        )
          continue;
        const path = join(entry.parentPath, entry.name);
        const file = { path: relative(root, path), bytes: readFileSync(path) };
        const documents = (): Promise<ReturnType<typeof parseDocuments>> =>
          Promise.resolve(parseDocuments(file, 'core'));
        const input = {
          name: entry.name,
          archive: false,
          chosenPath: '',
          isChosen: () => true,
          files: new Map([[file.path, file]]),
          documents,
          parse: documents,
        };
        const imported = await composeFormat.read(input, {}).catch(() => undefined);
        for (const component of imported?.design.components ?? []) {
          const answer = await ask(toResource(component));
          if (answer === undefined) accepted += 1;
          else refused.push(`${file.path}: ${answer}`);
        }
      }
      console.info(`Compose corpus: ${accepted} resources accepted by Kubernetes, ${refused.length} refused`);
      expect(refused).toEqual([]);
      expect(accepted).toBeGreaterThan(600);
    }, 120_000);
  });
});
