import type { ConnectionView, TokenSource } from '@shared/contract'
import { Check, ClipboardPaste, Pencil, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import { useCall } from '../../ipc'
import { connectionsPath, editConnectionPath } from '../../paths'
import { getRunFailure, useRunOnOpen } from '../../runs'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { QuietCode } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { MenuButton } from '../../ui/menu'
import { Card, Page, PageHeader, Section } from '../../ui/page'
import { GridRows, KeyValue, type KeyValueItem } from '../../ui/rows'
import { ProgressBar } from '../../ui/skeleton'
import { ConnectionBadges, SecretState, secretKind, useConnectionDialogs } from './connection-dialogs'
import { Corrections } from './connection-form'
import { type PartAddress, parts, partsSetUp } from './entries'
import { CommandTexts } from './sign-in-section'
import { TestRow } from './test-row'
import { cancelTest, countTests, type PartTests, startTest, useConnectionTests } from './tests'
import { type SavedConnection, useDrafts, useTitleFocus } from './use-connection-form'
import { useConnectionMenu, useSwitchWithToast } from './use-connections'

function Notices({ connection, onPaste }: { readonly connection: ConnectionView; readonly onPaste: () => void }) {
  const { t } = useTranslation('connections')
  const { id, isBuiltIn, secret } = connection
  const hasDraft = useDrafts(({ drafts }) => drafts[id] !== undefined)
  const kind = secretKind(connection)
  const { data: sandbox } = useCall('sandbox.get', {}, { enabled: isBuiltIn })
  if (isBuiltIn) {
    const isSandboxDown = sandbox?.state === 'stopped' || sandbox?.state === 'failed'
    return (
      <Callout
        tone={isSandboxDown ? 'warning' : 'info'}
        title={isSandboxDown ? t('sandbox.stopped') : t('sandbox.what')}
        actions={[{ label: t('sandbox.page'), to: '/sandbox' }]}
      >
        {isSandboxDown ? <p>{t('sandbox.stoppedText')}</p> : null}
        <p>{t('sandbox.text')}</p>
      </Callout>
    )
  }
  return (
    <>
      {hasDraft ? (
        <Callout
          tone="warning"
          title={t('draft.addedNamed', { name: connection.name })}
          actions={[{ label: t('draft.goOn'), to: editConnectionPath(id) }]}
        >
          {t('draft.kept')}
        </Callout>
      ) : null}
      {secret === 'missing' && kind ? (
        <Callout
          tone="warning"
          title={t(`kept.${kind}.missing`)}
          actions={[
            {
              label: t(kind === 'pasted' ? 'secret.pasteToken' : 'secret.pasteSecret'),
              icon: ClipboardPaste,
              onClick: onPaste,
            },
          ]}
        >
          {t('secret.copyFirst')}
        </Callout>
      ) : null}
    </>
  )
}

export function ConnectionViewPage(props: {
  readonly connection: ConnectionView
  readonly saved: SavedConnection | undefined
  readonly onSavedRead: () => void
}) {
  const { connection, saved, onSavedRead } = props
  const { t } = useTranslation('connections')
  const navigate = useNavigate()
  const { paste, remove, dialogs } = useConnectionDialogs(connection, () => void navigate(connectionsPath))
  useTitleFocus()
  const { name, isActive, isBuiltIn, tokenSource, caFile, addresses, id } = connection
  const switchConnection = useSwitchWithToast()
  const items = useConnectionMenu(connection, { onPage: true, onRemove: remove })
  const tests = useConnectionTests(id)
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({})
  const codes = parts.map(({ part }) => getRunFailure(tests[part])?.code)
  // By default, the first row of each failure code is open.
  const isOpen = ({ part }: PartAddress, index: number): boolean =>
    chosen[part] ?? (codes[index] !== undefined && codes.indexOf(codes[index]) === index)
  const setOpen = ({ part }: PartAddress, open: boolean): void =>
    setChosen((previousChoice) => ({ ...previousChoice, [part]: open }))
  const sourceItems = useSourceItems(tokenSource)
  const kind = secretKind(connection)
  const isToken = kind === 'pasted'
  const pasteLabel = isToken ? 'secret.pasteToken' : 'secret.pasteSecret'
  const host = addresses.registryHost
  const source = t(`sources.${tokenSource?.kind ?? 'none'}`)
  const readyParts = partsSetUp(connection)
  const runningTests = readyParts.filter(({ part }) => tests[part]?.state === 'running')
  const startTests = (): void => {
    for (const { part } of readyParts) void startTest(id, part)
  }
  const cancel = (): void => {
    for (const { part } of runningTests) cancelTest(id, part)
  }
  useRunOnOpen('test', startTests)
  return (
    <Page>
      <PageHeader
        title={name}
        breadcrumb={[{ label: t('title'), to: connectionsPath }]}
        badge={<ConnectionBadges connection={connection} />}
        actions={[
          <MenuButton key="menu" label={t('actions', { name })} items={items} />,
          !isBuiltIn && { label: t('edit'), icon: Pencil, to: editConnectionPath(id) },
          !isActive && {
            label: t('use'),
            variant: 'primary',
            icon: Check,
            'aria-label': t('useNamed', { name }),
            onClick: () => switchConnection(connection),
          },
        ]}
      />
      {saved ? <SavedNotice saved={saved} onClose={onSavedRead} /> : null}
      <Notices connection={connection} onPaste={paste} />
      <Section
        title={t('show.services')}
        description={readyParts.length === 0 ? t('test.nothing') : t('show.servicesHint')}
        actions={[
          <div key="div" role="status" className="flex items-center text-muted text-sm">
            <TestState ready={readyParts} tests={tests} />
          </div>,
          runningTests.length > 0
            ? { label: t('test.cancelAll'), onClick: cancel, size: 'md' }
            : { label: t('testAll'), disabled: readyParts.length === 0, onClick: startTests, size: 'md' },
        ]}
      >
        <GridRows columns="32px minmax(180px, 5fr) minmax(170px, 4fr) auto" label={t('show.services')}>
          {parts.map((part, index) => (
            <TestRow
              key={part.part}
              part={part}
              connection={connection}
              test={tests[part.part]}
              isOpen={isOpen(part, index)}
              onOpenChange={(open) => setOpen(part, open)}
              onPaste={paste}
            />
          ))}
        </GridRows>
      </Section>
      <Section title={t('show.signIn')}>
        <Card>
          <KeyValue
            items={[
              { label: t('show.source'), value: source },
              ...sourceItems,
              kind && {
                label: t(isToken ? 'show.token' : 'show.secret'),
                value: <SecretState connection={connection} />,
                action: !isBuiltIn && (
                  <Button size="sm" variant="ghost" onClick={paste}>
                    {t(connection.secret === 'missing' ? pasteLabel : 'secret.replace')}
                  </Button>
                ),
              },
            ]}
          />
        </Card>
      </Section>
      {host ? (
        <Section title={t('groups.images')}>
          <Card>
            <KeyValue
              items={[
                {
                  label: t('show.images'),
                  value: <QuietCode>{host}</QuietCode>,
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
            <KeyValue items={[{ label: t('certificates.label'), value: <QuietCode wrap>{caFile}</QuietCode> }]} />
          </Card>
        </Section>
      ) : null}
      {dialogs}
    </Page>
  )
}

function SavedNotice({ saved, onClose }: { readonly saved: SavedConnection; readonly onClose: () => void }) {
  const { t } = useTranslation(['connections', 'common'])
  const { connection, corrections } = saved
  return (
    <div role="status">
      <Callout
        tone={corrections.length > 0 ? 'info' : 'success'}
        title={t('saved.title', { name: connection.name })}
        actions={<IconButton icon={X} size="sm" label={t('common:close')} onClick={onClose} />}
      >
        {corrections.length > 0 ? <Corrections corrections={corrections} /> : t('saved.right')}
      </Callout>
    </div>
  )
}

function useSourceItems(source: TokenSource | undefined): readonly KeyValueItem[] {
  const { t } = useTranslation('connections')
  if (source?.kind === 'command') {
    return [{ label: t('show.command'), value: <CommandTexts texts={source.command} /> }]
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
      value: <QuietCode wrap>{value}</QuietCode>,
      action: <CopyText text={value} label={t('show.copy', { name: label })} />,
    }))
}

function TestState({ ready, tests }: { readonly ready: readonly PartAddress[]; readonly tests: PartTests }) {
  const { t } = useTranslation('connections')
  const { count, testing, done, failed } = countTests(ready, tests)
  if (testing > 0) {
    return (
      <div className="grid grid-cols-[auto_96px] items-center gap-2.5">
        <span className="tabular-nums">{t('test.progress', { done, count })}</span>
        <ProgressBar value={done / count} label={t('show.status')} />
      </div>
    )
  }
  if (count === 0 || done < count) return null
  if (failed > 0) return <StatusDot tone="danger" label={t('test.summaryBad', { failed, count })} />
  return <StatusDot tone="success" label={t('test.summaryGood', { count })} />
}
