import { describe, expect, it } from 'vitest'
import { redact } from '../../../../src/main/core/secret'
import { maskForms } from '../../../../src/main/core/secret-forms'

/** Second half of the fake keys. It is appended at run time, so that secret scanners do not report this file. */
const tail = 'abcdefghij0123456789ABCDEFGHIJ012345'
const hex = '0123456789abcdef0123456789abcdef'

describe('a key in any text', () => {
  it.each([
    ['OpenAI', `sk-proj-${tail}`],
    ['Anthropic', `sk-ant-api03-${tail}`],
    ['Stripe', `rk_live_${tail}`],
    ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
    ['AWS, temporary', 'ASIAIOSFODNN7EXAMPLE'],
    ['Google', `AIza${tail}`],
    ['Google, OAuth', `ya29.${tail}`],
    ['Google, client secret', `GOCSPX-${tail}`],
    ['GitHub', `ghp_${tail}`],
    ['GitHub, fine-grained', `github_pat_${tail}_${tail}`],
    ['GitLab', `glpat-${tail}`],
    ['Slack', `xoxb-123456789012-${tail}`],
    ['Slack, app', `xapp-1-A0123-${tail}`],
    ['JWT', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${tail}`],
    ['Azure, client secret', `abc8Q~${tail.slice(0, 33)}`],
    ['npm', `npm_${tail}`],
    ['Hugging Face', `hf_${tail}`],
    ['PyPI', `pypi-AgEIcHlwaS5vcmc${tail}`],
    ['Docker', `dckr_pat_${tail}`],
    ['SendGrid', `SG.${tail.slice(0, 22)}.${tail}`],
    ['Discord', `MTA0NzY5MTIzNDU2Nzg5MDEy.GaBcDe.${tail}`],
    ['Airtable', `patAbCdEfGhIjKlMn.${hex}${hex}`],
    ['Terraform', `AbCdEfGhIjKlMn.atlasv1.${tail}`],
    ['Firecrawl', `fc-${hex}`],
    ['Pinecone', `pcsk_4a_${tail}`],
    ['Supabase', `sb_secret_${tail}`],
    ['Notion', `secret_${tail}${tail}`],
    ['Contentful', `CFPAT-${tail}`],
    ['Telegram', `1234567890:AA${tail.slice(0, 33)}`],
    ['Databricks', `dapi${hex}`],
    ['Groq', `gsk_${tail}`],
    ['Vault', `hvs.${tail}`],
    ['age', `AGE-SECRET-KEY-1${tail.toUpperCase()}`],
    ['a private key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${tail}\n-----END OPENSSH PRIVATE KEY-----`],
  ])('is masked: %s', (_, key) => {
    for (const mask of [redact, maskForms]) {
      const maskedText = mask(`before ${key} after`)
      expect(maskedText.replaceAll('\n', '')).toBe('before [secret] after')
      expect(maskedText.split('\n')).toHaveLength(key.split('\n').length)
    }
  })

  it.each([
    [`https://hooks.slack.com/services/T000/B000/${tail}`, 'https://hooks.slack.com/services/[secret]'],
    [`https://discord.com/api/webhooks/1234/${tail}`, 'https://discord.com/api/webhooks/1234/[secret]'],
    [`Endpoint=sb://h/;SharedAccessKey=${tail}=`, 'Endpoint=sb://h/;SharedAccessKey=[secret]'],
    ['postgres://me:pw@h/db', 'postgres://[secret]@h/db'],
    ['postgres://me:p/w?d#@h/db', 'postgres://[secret]@h/db'],
    ['postgres://me:p@w@h/db?x=a@b', 'postgres://[secret]@h/db?x=a@b'],
    ['redis://:pw@h:6379', 'redis://[secret]@h:6379'],
    ['mongodb+srv://me:p%40w@h', 'mongodb+srv://[secret]@h'],
  ])('is masked in an address: %s', (text, maskedText) => {
    for (const mask of [redact, maskForms]) expect(mask(text)).toBe(maskedText)
  })

  it.each([
    ['a JSON object in base64', 'https://h/?config=eyJhcGlLZXkiOiJhYmNkZWYifQ==', 'https://h/?config=[secret]'],
    ['a variable of a command', 'sh -c "X_TOKEN=abc run"', 'sh -c "X_TOKEN=[secret] run"'],
  ])('is masked in settings: %s', (_, text, maskedText) => {
    expect(maskForms(text)).toBe(maskedText)
  })

  it.each([
    'https://h:8080/@scope/name',
    'http://127.0.0.1:4860/v1 and me@example.com',
    'npm_config_user_agent',
    'xai-grok-2-vision-1212',
    'the public key pk_organization_identifier',
    'file:///srv/node_modules/@scope/name/index.js:10:3',
  ])('is not seen in %s', (text) => {
    expect(redact(text)).toBe(text)
  })
})
