import type { ConnectionView, TokenSource } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Button } from '../../ui/button'
import { Code } from '../../ui/code'
import { KeyValue, type KeyValueItem } from '../../ui/key-value'
import { Card, Section } from '../../ui/page'
import { SecretState, secretKind } from './secret-state'
import { CommandWords } from './sign-in-section'

interface FactsProps {
  readonly connection: ConnectionView
  readonly onPaste: () => void
}

function useSourceItems(source: TokenSource | undefined): readonly KeyValueItem[] {
  const { t } = useTranslation('connections')
  if (source?.kind === 'command') {
    return [{ label: t('show.command'), value: <CommandWords words={source.command} /> }]
  }
  if (source?.kind !== 'client-credentials') return []
  const values = [
    [t('signIn.tokenUrl'), source.tokenUrl],
    [t('signIn.clientId'), source.clientId],
    [t('signIn.scope'), source.scope ?? ''],
  ] as const
  return values
    .filter(([, value]) => value !== '')
    .map(([label, value]) => ({
      label,
      value: (
        <Code quiet wrap>
          {value}
        </Code>
      ),
      action: <CopyText text={value} label={t('show.copy', { name: label })} />,
    }))
}

function useSecretItem({ connection, onPaste }: FactsProps): readonly KeyValueItem[] {
  const { t } = useTranslation('connections')
  const kind = secretKind(connection)
  if (kind === undefined) return []
  const isToken = kind === 'pasted'
  return [
    {
      label: t(isToken ? 'show.token' : 'show.secret'),
      value: <SecretState connection={connection} />,
      action: connection.isBuiltIn ? undefined : (
        <Button size="sm" variant="ghost" onClick={onPaste}>
          {t(
            connection.secret === 'missing' ? (isToken ? 'secret.pasteToken' : 'secret.pasteSecret') : 'secret.replace',
          )}
        </Button>
      ),
    },
  ]
}

/** How a connection signs in, where its secret is, what it trusts and its host for images. */
export function ConnectionFacts({ connection, onPaste }: FactsProps) {
  const { t } = useTranslation('connections')
  const { tokenSource, caFile, addresses } = connection
  const host = addresses.registryHost
  const source = t(`sources.${tokenSource?.kind ?? 'none'}`)
  const sourceItems = useSourceItems(tokenSource)
  const secretItem = useSecretItem({ connection, onPaste })
  return (
    <>
      <Section title={t('show.signIn')}>
        <Card>
          <KeyValue items={[{ label: t('show.source'), value: source }, ...sourceItems, ...secretItem]} />
        </Card>
      </Section>
      {host ? (
        <Section title={t('groups.images')}>
          <Card>
            <KeyValue
              items={[
                {
                  label: t('show.images'),
                  value: <Code quiet>{host}</Code>,
                  action: <CopyText text={host} label={t('show.copy', { name: t('addresses.registryHost.name') })} />,
                },
              ]}
            />
          </Card>
        </Section>
      ) : null}
      {caFile ? (
        <Section title={t('show.certificates')}>
          <Card>
            <KeyValue
              items={[
                {
                  label: t('certificates.label'),
                  value: (
                    <Code quiet wrap>
                      {caFile}
                    </Code>
                  ),
                },
              ]}
            />
          </Card>
        </Section>
      ) : null}
    </>
  )
}
