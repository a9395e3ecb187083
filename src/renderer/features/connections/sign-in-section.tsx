import type { ConnectionView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Code } from '../../ui/code'
import { Field, FieldGroup, TextArea, TextInput } from '../../ui/field'
import { Card, Section } from '../../ui/page'
import { RadioCards } from '../../ui/radio-cards'
import { PasteSecret } from './connection-dialogs'
import { keepsSecret, needsSecret, type SourceKind, toCommand } from './entries'
import { type ConnectionForm, toFieldId } from './use-connection-form'

interface SectionProps {
  readonly form: ConnectionForm
  readonly connection: ConnectionView | undefined
}

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

export function SignInSection({ form, connection }: SectionProps) {
  const { t } = useTranslation('connections')
  const { entries, set, errors, secretFailure } = form
  const { kind } = entries
  const isStored = connection !== undefined && keepsSecret(connection, entries)
  return (
    <Section title={t('signIn.title')} description={t('signIn.hint')}>
      <Card>
        <FieldGroup>
          <div id={toFieldId('signIn')}>
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
              <div id={toFieldId('tokenUrl')}>
                <Field label={t('signIn.tokenUrl')} hint={t('signIn.tokenUrlHint')} error={errors.tokenUrl} required>
                  <TextInput
                    mono
                    placeholder="https://iam.example.com/oauth2/token"
                    maxLength={2000}
                    value={entries.tokenUrl}
                    onChange={(event) => set('tokenUrl', { tokenUrl: event.target.value })}
                  />
                </Field>
              </div>
              <div className="grid grid-cols-[repeat(auto-fit,minmax(220px,1fr))] items-start gap-4">
                <div id={toFieldId('clientId')}>
                  <Field label={t('signIn.clientId')} error={errors.clientId} required>
                    <TextInput
                      mono
                      maxLength={500}
                      value={entries.clientId}
                      onChange={(event) => set('clientId', { clientId: event.target.value })}
                    />
                  </Field>
                </div>
                <div id={toFieldId('scope')}>
                  <Field label={t('signIn.scope')} hint={t('signIn.scopeHint')} error={errors.scope} optional>
                    <TextInput
                      mono
                      maxLength={2000}
                      value={entries.scope}
                      onChange={(event) => set('scope', { scope: event.target.value })}
                    />
                  </Field>
                </div>
              </div>
            </>
          ) : null}
          {entries.kind === 'command' ? (
            <>
              <div id={toFieldId('program')}>
                <Field label={t('signIn.program')} hint={t('signIn.programHint')} error={errors.program} required>
                  <TextInput
                    mono
                    placeholder="/usr/local/bin/platform-login"
                    maxLength={4000}
                    value={entries.program}
                    onChange={(event) => set('program', { program: event.target.value })}
                  />
                </Field>
              </div>
              <div id={toFieldId('args')}>
                <Field label={t('signIn.args')} hint={t('signIn.argsHint')} error={errors.args} optional>
                  <TextArea
                    className="min-h-0 resize-y py-1.5 font-mono text-sm leading-[1.6] tracking-normal"
                    rows={3}
                    placeholder={'print-token\n--format=json'}
                    value={entries.args}
                    onChange={({ target }) => set('args', { args: target.value })}
                  />
                </Field>
              </div>
              {entries.program.trim() === '' ? null : (
                <p className="flex gap-2 text-muted text-sm">
                  {t('signIn.runs')} <CommandTexts texts={toCommand(entries)} />
                </p>
              )}
            </>
          ) : null}
          {needsSecret(kind) ? (
            <div id={toFieldId('secret')}>
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
