import type { Request } from 'express';
import { escapeHtml } from '../../core/rest/pages/html.js';
import {
  FORMS,
  type Page,
  renderField,
  renderForm,
  renderNewPassword,
  renderOpen,
  rootOf,
} from '../../core/rest/pages/page.js';
import { getRequestPath } from '../../core/telemetry/request-context.js';
import type { Invitation } from './invitation.entity.js';

/** The page on which an invitation is accepted, with a new account or an existing one. */
export function invitationPage(
  request: Request,
  { email, expiresAt }: Invitation,
  organization: string,
  proof?: string,
): Page {
  const root = rootOf(request);
  const query = proof === undefined ? '' : `?proof=${encodeURIComponent(proof)}`;
  const data = {
    root,
    post: root + getRequestPath(request).slice(1) + query,
    done: `You are a member of ${organization}.`,
  };
  const names = ['first_name', 'last_name'].map((name) =>
    renderField(name === 'first_name' ? 'First name (optional)' : 'Last name (optional)', {
      name,
      maxlength: '255',
      autocomplete: name === 'first_name' ? 'given-name' : 'family-name',
    }),
  );
  const password = { name: 'password', type: 'password', autocomplete: 'current-password', required: '' };
  const signIn = [
    renderField('E-mail address', {
      name: 'email',
      type: 'email',
      autocomplete: 'username',
      value: email,
      readonly: '',
    }),
    renderField('Password', password),
  ];
  const expiry = expiresAt.toISOString();
  return {
    title: `Invitation to ${organization}`,
    script: FORMS,
    body: renderOpen(`<p>The invitation is for ${escapeHtml(email)} and valid until <time datetime="${expiry}">${expiry.slice(0, 16).replace('T', ' ')} UTC</time>.</p>
<h2>Without an account here</h2>
${renderForm(data, renderNewPassword(email) + names.join(''), 'Create the account and join')}
<h2>With an account here</h2>
${renderForm({ ...data, 'sign-in': '' }, signIn.join(''), 'Sign in and join')}`),
  };
}
