import { type AppError, type Fault } from '../../../core/errors/app-error.js';
import { importCompose } from './compose-input.fixture.js';

async function faults(text: string): Promise<Fault[]> {
  const error = await importCompose(text).catch((thrown: unknown) => thrown);
  return (error as AppError).errors;
}

describe('the faults of a Compose file', () => {
  it('are all named at once, with place and remedy', async () => {
    const found = await faults(`services:
  web:
    imagee: nginx
    ports: 80
    restart: sometimes
    environment: A=B
    healthcheck: {interval: 10, test: x}
    command: 'echo "open'
  db: [image, postgres]
volums: {data: {}}
`);
    expect(found.map(({ line, column, detail }) => `${line}:${column} ${detail}`)).toEqual([
      '3:5 "imagee" is not a key of services.web',
      '4:5 services.web.ports must be a list, not a number',
      '5:5 "sometimes" is not one of no, always, unless-stopped, on-failure, on-failure:<times>',
      '6:5 services.web.environment must be a mapping or a list, not text',
      '7:19 services.web.healthcheck.interval must be text, not a number',
      '9:3 services.db must be a mapping, not a list',
      '10:1 "volums" is not a key of the file',
    ]);
    expect(found[0]?.remedy).toBe('Did you mean "image"? Keys of your own start with "x-".');
    expect(found[4]?.remedy).toBe('Put it in quotes: "10".');
    expect(found[6]?.remedy).toContain('"volumes"');
  });

  it.each([
    ['{image: x, ports: ["1-65535:1-65535"]}', /a range of 65535 ports/],
    ['{image: x, ports: ["70000:80"]}', /is not a port mapping/],
    ['{image: x, ports: ["80:80/icmp"]}', /is not a port mapping/],
    ['{image: x, ports: ["80-82:80-81"]}', /ranges of different lengths/],
    ['{image: x, expose: ["http"]}', /is not a port/],
    ['{image: x, volumes: [":/data"]}', /is not a volume mapping/],
    ['{image: x, volumes: ["./a:/b:rx"]}', /"rx" is not a volume option/],
    ['{image: x, volumes: [{type: bind, target: /a}]}', /needs "source"/],
    ['{image: x, volumes: ["./a:b"]}', /is not a path in a Linux container/],
    ['{image: x, volumes: ["data:/b"]}', /uses "data", which is not defined under volumes/],
    ['{image: x, networks: [front]}', /uses "front", which is not defined under networks/],
    ['{image: x, secrets: [key]}', /uses "key", which is not defined under secrets/],
    ['{image: x, configs: [{source: c, mode: 999}]}', /octal permissions/],
    ['{image: x, depends_on: [web2]}', /needs the service "web2", which is not defined/],
    ['{image: x, depends_on: [web]}', /depend on one another: web → web/],
    ['{image: x, network_mode: "service:gone"}', /needs the service "gone"/],
    ['{image: x, network_mode: host, networks: [default]}', /exclude one another/],
    ['{command: x}', /has neither "image" nor "build"/],
    ['{image: ""}', /image is empty/],
    ['{image: x, mem_limit: lots}', /is not a size such as 512m/],
    ['{image: x, deploy: {resources: {limits: {memory: 1m}, reservations: {memory: 2m}}}}', /reserves more memory/],
    ['{image: x, labels: {kompose.service.type: magic}, ports: ["80"]}', /kompose.service.type is "magic"/],
    ['{image: x, labels: {kompose.image-pull-policy: Fail}}', /kompose.image-pull-policy is "Fail"/],
    ['{image: x, labels: {kompose.service.expose: "a b.com"}, ports: ["80"]}', /kompose.service.expose is/],
    ['{image: x, healthcheck: {test: [curl, a]}}', /the test begins with "curl"/],
  ])('are found in %s', async (service, detail) => {
    const found = await faults(`services: {web: ${service}}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ file: 'shop.yaml', line: 1, detail: expect.stringMatching(detail) as string });
  });

  it('are services that wait for each other', async () => {
    const found = await faults(
      'services:\n  a: {image: x, depends_on: [b]}\n  b: {image: x, depends_on: [c]}\n  c: {image: x, links: [a]}',
    );
    expect(found).toMatchObject([{ line: 4, detail: 'services depend on one another: a → b → c → a' }]);
  });

  it('are names that become one in Kubernetes', async () => {
    const found = await faults('services: {my_app: {image: x}, my.app: {image: x}}');
    expect(found).toMatchObject([{ detail: 'becomes Deployment/my-app in Kubernetes, like services.my_app' }]);
    expect(await faults('services: {___: {image: x}}')).toMatchObject([
      { detail: expect.stringContaining('nothing of the name') as string },
    ]);
  });

  it('do not reach the prototype of anything', async () => {
    await importCompose(
      'services: {constructor: {image: a}, toString: {image: b, depends_on: [constructor], labels: {valueOf: x}}}',
    );
    expect(await faults('services: {__proto__: {image: a}}')).toHaveLength(1);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it('are no more than the limit, with a count of the rest', async () => {
    const keys = Array.from({ length: 500 }, (_, index) => `k${index}: 1`).join(', ');
    const found = await faults(`services: {web: {image: x, ${keys}}}`);
    expect(found).toHaveLength(100);
    expect(found.at(-1)?.detail).toBe('401 more faults are not listed');
  });
});
