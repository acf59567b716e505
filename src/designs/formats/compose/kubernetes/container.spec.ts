import { importCompose } from '../compose-input.fixture.js';
import { resources, containerOf } from './workload.fixture.js';

describe('a container', () => {
  it('has the entry point as command and the command as arguments, with $ as it was', async () => {
    const container = await containerOf(
      '{image: x, entrypoint: sh -c, command: ["echo $$(A) $$$$", b], environment: {A: "$$(B)"}}',
    );
    expect(container).toMatchObject({
      command: ['sh', '-c'],
      args: ['echo $$(A) $$$', 'b'],
      env: [{ name: 'A', value: '$$(B)' }],
    });
  });

  it('runs the command alone where the entry point is emptied, and warns where there is none', async () => {
    for (const entrypoint of ['""', '[]']) {
      const container = await containerOf(`{image: x, entrypoint: ${entrypoint}, command: [sleep, "60"]}`);
      expect(container).toMatchObject({ command: ['sleep', '60'] });
      expect(container).not.toHaveProperty('args');
    }
    const { design, warnings } = await importCompose('services: {web: {image: x, entrypoint: ""}}');
    expect(design.components[0]?.configuration).not.toHaveProperty('spec.template.spec.containers.0.command');
    expect(warnings).toContainEqual(
      expect.objectContaining({
        line: 1,
        detail: expect.stringContaining('the entry point of the image runs') as string,
      }),
    );
  });

  it('is called by its container name, or by its service, and by the service when it is only built', async () => {
    expect(await containerOf('{image: x, container_name: My_App}')).toMatchObject({ name: 'my-app', image: 'x' });
    const { design } = await importCompose('services: {web: {build: .}}');
    expect(design.components[0]?.configuration).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'web' }] } } },
    });
    expect(design.components[0]?.metadata).toMatchObject({ compose: { built: true, kept: ['build'] } });
  });

  it('checks its health as Docker would', async () => {
    expect(
      await containerOf(
        '{image: x, healthcheck: {test: curl a, interval: 1m30s, timeout: 500ms, retries: 5, start_period: 10s}}',
      ),
    ).toMatchObject({
      livenessProbe: {
        exec: { command: ['/bin/sh', '-c', 'curl a'] },
        periodSeconds: 90,
        timeoutSeconds: 1,
        failureThreshold: 5,
        initialDelaySeconds: 10,
      },
    });
    expect(await containerOf('{image: x, healthcheck: {test: [CMD, curl, a]}}')).toMatchObject({
      livenessProbe: { exec: { command: ['curl', 'a'] }, timeoutSeconds: 30 },
    });
    expect(await containerOf('{image: x, healthcheck: {test: [NONE]}}')).not.toHaveProperty('livenessProbe');
    expect(await containerOf('{image: x, healthcheck: {disable: true, test: x}}')).not.toHaveProperty('livenessProbe');
    expect(
      await containerOf(
        '{image: x, labels: {kompose.service.healthcheck.readiness.http_get_port: 80, kompose.service.healthcheck.readiness.http_get_path: /up}}',
      ),
    ).toMatchObject({
      readinessProbe: { httpGet: { path: '/up', port: 80 } },
    });
  });

  it('has the resources of deploy, or those of the service', async () => {
    const deploy =
      '{resources: {limits: {cpus: "0.5", memory: 50M}, reservations: {cpus: 0.25, memory: 20M, devices: [{capabilities: [gpu], count: 2}]}}}';
    expect(await containerOf(`{image: x, deploy: ${deploy}}`)).toMatchObject({
      resources: {
        limits: { cpu: '500m', memory: '50Mi', 'nvidia.com/gpu': '2' },
        requests: { cpu: '250m', memory: '20Mi' },
      },
    });
    expect(await containerOf('{image: x, mem_limit: 10000, mem_reservation: 1k, cpus: 2}')).toMatchObject({
      resources: { limits: { cpu: '2', memory: '10000' }, requests: { memory: '1Ki' } },
    });
  });

  it('has the rights that the service has', async () => {
    const service =
      '{image: x, user: "1000:100", cap_add: [CAP_NET_ADMIN], cap_drop: [all], read_only: true, security_opt: ["no-new-privileges:true", "seccomp:unconfined"]}';
    expect(await containerOf(service)).toMatchObject({
      securityContext: {
        runAsUser: 1000,
        runAsGroup: 100,
        capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        seccompProfile: { type: 'Unconfined' },
      },
    });
    expect(await containerOf('{image: x, user: root}')).toMatchObject({ securityContext: { runAsUser: 0 } });
    expect((await importCompose('services: {web: {image: x, user: app}}')).warnings[0]?.detail).toContain(
      '"app" is kept',
    );
  });

  it('has variables of env files as ConfigMaps, under those of its own', async () => {
    const found = await resources({
      'compose.yaml':
        'services: {a: {image: x, env_file: [conf/a.env], environment: {B: 2}}, b: {image: x, env_file: conf/a.env}}',
      'conf/a.env': 'A=1\nB=1',
    });
    expect([...found.keys()]).toEqual(['ConfigMap/conf-a-env', 'Deployment/a', 'Deployment/b']);
    expect(found.get('ConfigMap/conf-a-env')).toMatchObject({ data: { A: '1', B: '1' } });
    expect(found.get('Deployment/a')).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [{ env: [{ name: 'B', value: '2' }], envFrom: [{ configMapRef: { name: 'conf-a-env' } }] }],
          },
        },
      },
    });
    const missing = await importCompose('services: {a: {image: x, env_file: [a.env, {path: b.env, required: false}]}}');
    expect(missing.warnings).toMatchObject([{ detail: 'a.env is not part of the import; its variables are missing' }]);
  });
});
