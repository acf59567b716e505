import { request } from 'node:https';
import { type Cluster, sharedCluster } from './cluster.js';
import { requires } from './requirements.js';

function statusOf({ url, ca }: Cluster, path: string, token: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    request(`${url}${path}`, { ca, headers }, (answer) => resolve(answer.resume().statusCode))
      .once('error', reject)
      .end();
  });
}

requires('KUBEBUILDER_ASSETS', 'a cluster for tests', () => {
  it('is one for all who share it, obeys the administrator and refuses nobody', async () => {
    const [cluster, same] = await Promise.all([sharedCluster(), sharedCluster()]);
    expect(same.url).toBe(cluster.url);
    const { admin, nobody } = cluster.tokens;
    expect(await statusOf(cluster, '/api/v1/namespaces/default/pods', admin)).toBe(200);
    expect(await statusOf(cluster, '/api/v1/namespaces/default/pods', nobody)).toBe(403);
    expect(await statusOf(cluster, '/api/v1/namespaces/default/pods', 'unknown')).toBe(401);
    expect(cluster.kubeconfigNobody).toContain(nobody);
  });
});
