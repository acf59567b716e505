import { domainToASCII } from 'node:url';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * E-mail addresses with characters beyond ASCII get the form in which they are compared: composed, with the domain in ASCII. One
 * whose new form is taken stays as it is: which of two accounts keeps an address is for an operator to decide.
 */
export class AddressesInOneForm1764000000107 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const users = (await queryRunner.query(
      `SELECT id, email FROM app_user WHERE email ~ '[^!-~]' AND deleted_at IS NULL ORDER BY created_at, id`,
    )) as Row[];
    for (const { id, email } of users)
      await queryRunner.query(
        `UPDATE app_user SET email = $2 WHERE id = $1
           AND NOT EXISTS (SELECT FROM app_user other WHERE other.email = $2 AND other.deleted_at IS NULL)`,
        [id, toOneForm(email)],
      );
    const invitations = (await queryRunner.query(
      `SELECT id, email FROM invitation
       WHERE email ~ '[^!-~]' AND accepted_at IS NULL AND deleted_at IS NULL ORDER BY created_at, id`,
    )) as Row[];
    for (const { id, email } of invitations)
      await queryRunner.query(
        `UPDATE invitation SET email = $2 WHERE id = $1
           AND NOT EXISTS (SELECT FROM invitation other
             WHERE other.organization_id = invitation.organization_id AND other.email = $2
               AND other.accepted_at IS NULL AND other.deleted_at IS NULL)`,
        [id, toOneForm(email)],
      );
  }

  /** The form before is not kept. */
  async down(): Promise<void> {}
}

interface Row {
  id: string;
  email: string;
}

function toOneForm(email: string): string {
  const text = email.normalize('NFC').trim().toLowerCase();
  const at = text.lastIndexOf('@') + 1;
  return text.slice(0, at) + (domainToASCII(text.slice(at)) || text.slice(at));
}
