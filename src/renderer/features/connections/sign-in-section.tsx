import type { ConnectionView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Code } from '../../ui/code'
import { FieldGroup, TextAreaField, TextField } from '../../ui/field'
import { Card, Section } from '../../ui/page'
import { RadioCards } from '../../ui/radio-cards'
import { PasteSecret } from './connection-dialogs'
import { keepsSecret, needsSecret, type SourceKind, toCommand } from './entries'
import type { ConnectionForm } from './use-connection-form'

const sourceKinds: readonly SourceKind[] = ['client-credentials', 'command', 'pasted', 'none']

export function CommandTexts({ texts }: { readonly texts: readonly string[] }) {
  return (
    <span className="inline-flex min-w-0 flex-wrap gap-1">
      {texts.map((word, index) => (
        <Code key={`${String(index)}-${word}`} wrap>
          {word}
        </Code>
      ))}
    </span>
  )
}

export function SignInSection(props: {
  readonly form: ConnectionForm
  readonly connection: ConnectionView | undefined
}) {
  const { form, connection } = props
  const { t } = useTranslation('connections')
  const { entries, set, toTextField, secretFailure } = form
  const { kind } = entries
  const isStored = connection !== undefined && keepsSecret(connection, entries)
  return (
    <Section title={t('signIn.title')} description={t('signIn.hint')}>
      <Card>
        <FieldGroup>
          <div data-field="signIn">
            <RadioCards
              label={t('signIn.question')}
              columns={2}
              value={entries.kind}
              // Discard the pasted secret, because it belongs to the previous sign-in method.
              onValueChange={(kind) => set('signIn', { kind, pending: undefined })}
              options={sourceKinds.map((kind) => ({
                value: kind,
                label: t(`sources.${kind}`),
                hint: t(`signIn.means.${kind}`),
              }))}
            />
          </div>
          {entries.kind === 'client-credentials' ? (
            <>
              <TextField
                {...toTextField('tokenUrl')}
                label={t('signIn.tokenUrl')}
                hint={t('signIn.tokenUrlHint')}
                required
                mono
                placeholder="https://iam.example.com/oauth2/token"
                maxLength={2000}
              />
              <div className="grid grid-cols-[repeat(auto-fit,minmax(220px,1fr))] items-start gap-4">
                <TextField {...toTextField('clientId')} label={t('signIn.clientId')} required mono maxLength={500} />
                <TextField
                  {...toTextField('scope')}
                  label={t('signIn.scope')}
                  hint={t('signIn.scopeHint')}
                  optional
                  mono
                  maxLength={2000}
                />
              </div>
            </>
          ) : null}
          {entries.kind === 'command' ? (
            <>
              <TextField
                {...toTextField('program')}
                label={t('signIn.program')}
                hint={t('signIn.programHint')}
                required
                mono
                placeholder="/usr/local/bin/platform-login"
                maxLength={4000}
              />
              <TextAreaField
                {...toTextField('args')}
                label={t('signIn.args')}
                hint={t('signIn.argsHint')}
                optional
                className="min-h-0 resize-y py-1.5 font-mono text-sm leading-[1.6] tracking-normal"
                rows={3}
                placeholder={'print-token\n--format=json'}
              />
              {entries.program.trim() === '' ? null : (
                <p className="flex gap-2 text-muted text-sm">
                  {t('signIn.runs')} <CommandTexts texts={toCommand(entries)} />
                </p>
              )}
            </>
          ) : null}
          {needsSecret(kind) ? (
            <div data-field="secret">
              <PasteSecret
                key={kind}
                kind={kind}
                pending={entries.pending}
                stored={isStored ? connection.secret : undefined}
                failure={secretFailure}
                onTaken={(pending) => set('secret', { pending })}
              />
            </div>
          ) : null}
        </FieldGroup>
      </Card>
    </Section>
  )
}
