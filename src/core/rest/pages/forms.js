// Sends the forms of a page to the API. Loading the page sends nothing, because mail scanners load pages too.
const json = { 'Content-Type': 'application/json' };

/** @throws Error with what the API said */
async function send(url, body, headers = {}) {
  const options = { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) };
  const response = await fetch(url, options).catch(() => null);
  if (!response) throw new Error('The server cannot be reached. Try again later.');
  const content = await response.json().catch(() => ({}));
  if (response.ok) return content;
  const faults = (content.errors ?? []).map(({ pointer = '', detail }) => `${pointer.replace('/', '')} ${detail}`);
  throw new Error(faults.join('; ') || content.detail || `The server responded with ${response.status}.`);
}

/** Signs in for one request only. */
async function sendSignedIn({ root, post }, { email, password }) {
  const session = await send(`${root}api/auth/login`, { email, password });
  const authorization = { Authorization: `Bearer ${session.access_token}` };
  try {
    return await send(post, {}, authorization);
  } finally {
    const { refresh_token } = session;
    await send(`${root}api/auth/logout`, { refresh_token }, authorization).catch(() => undefined);
  }
}

for (const form of document.forms)
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const alert = form.querySelector('[role=alert]');
    const button = form.querySelector('button');
    const fields = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ''));
    alert.textContent = '';
    button.disabled = true;
    try {
      if ('signIn' in form.dataset) await sendSignedIn(form.dataset, fields);
      else await send(form.dataset.post, fields);
      document.getElementById('open').remove();
      document.getElementById('done').textContent = form.dataset.done;
    } catch (error) {
      alert.textContent = error.message;
    }
    button.disabled = false;
  });
