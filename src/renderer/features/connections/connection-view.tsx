import type { ConnectionView, TokenSource } from '@shared/contract'
import type { Failure, FailureCode } from '@shared/failure'
import i18next from 'i18next'
import { Check, CircleAlert, CircleCheck, CircleDashed, CircleDot, CircleMinus, Pencil, X } from 'lucide-react'
import { useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import { ExplainedFailure, explainFailure } from '../../failures'
import { formatDuration } from '../../format'
import { useAction, useCall } from '../../ipc'
import { connectionsPath, editConnectionPath } from '../../paths'
import { RelativeTime } from '../../relative-time'
import { getRunFailure, useRunOnOpen } from '../../runs'
import { StatusDot } from '../../ui/badge'
import { type Action, type Actions, Button, renderActions } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { QuietCode } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { MenuButton } from '../../ui/menu'
import { FactsSection, Page, PageHeader, Section } from '../../ui/page'
import { ExpandButton, GridRow, GridRows, type KeyValueItem } from '../../ui/rows'
import { ProgressBar, Spinner } from '../../ui/skeleton'
import { ConnectionBadges, type PasteAction, SecretState, useConnectionDialogs } from './connection-dialogs'
import { CommandTexts, Corrections, type SavedConnection, useTitleFocus } from './connection-form'
import { type FieldName, type PartAddress, parts, partsSetUp, secretKind } from './entries'
import {
  cancelTest,
  countTests,
  type PartTest,
  type PartTests,
  startTest,
  useConnectionTests,
  useDrafts,
} from './tests-and-drafts'
import { useConnectionMenu, useSwitchWithToast } from './use-connections'

const t = i18next.getFixedT(null, ['connections', 'common'])

function Notices({ connection, paste }: { readonly connection: ConnectionView; readonly paste: PasteAction }) {
  const { id, isBuiltIn, secret } = connection
  const hasDraft = useDrafts((drafts) => drafts[id] !== undefined)
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
        <Callout tone="warning" title={t(`kept.${kind}.missing`)} actions={[paste]}>
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
  const navigate = useNavigate()
  const { paste, remove, dialogs } = useConnectionDialogs(connection, () => void navigate(connectionsPath))
  useTitleFocus()
  const { name, isActive, isBuiltIn, tokenSource, caFile, addresses, id } = connection
  const switchConnection = useSwitchWithToast()
  const items = useConnectionMenu(connection, { onPage: true, onRemove: remove })
  const tests = useConnectionTests(id)
  const codes = parts.map(({ part }) => getRunFailure(tests[part])?.code)
  const kind = secretKind(connection)
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
      {saved ? (
        <div role="status">
          <Callout
            tone={saved.corrections.length > 0 ? 'info' : 'success'}
            title={t('connections:saved.title', { name: saved.connection.name })}
            actions={<IconButton icon={X} size="sm" label={t('common:close')} onClick={onSavedRead} />}
          >
            <Corrections corrections={saved.corrections} none={t('connections:saved.right')} />
          </Callout>
        </div>
      ) : null}
      <Notices connection={connection} paste={paste} />
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
              isFirstOfCode={codes.indexOf(codes[index]) === index}
              paste={paste}
            />
          ))}
        </GridRows>
      </Section>
      <FactsSection
        title={t('show.signIn')}
        items={[
          { label: t('show.source'), value: source },
          ...listSourceItems(tokenSource),
          kind && {
            label: t(kind === 'pasted' ? 'show.token' : 'show.secret'),
            value: <SecretState connection={connection} />,
            action: !isBuiltIn && (
              <Button size="sm" variant="ghost" onClick={paste.onClick}>
                {connection.secret === 'missing' ? paste.label : t('secret.replace')}
              </Button>
            ),
          },
        ]}
      />
      {host ? (
        <FactsSection
          title={t('groups.images')}
          items={[
            {
              label: t('show.images'),
              value: <QuietCode>{host}</QuietCode>,
              action: <CopyText text={host} label={t('show.copy', { name: t('addresses.registryHost.name') })} />,
            },
          ]}
        />
      ) : null}
      {caFile ? (
        <FactsSection
          title={t('show.certificates')}
          items={[{ label: t('certificates.label'), value: <QuietCode wrap>{caFile}</QuietCode> }]}
        />
      ) : null}
      {dialogs}
    </Page>
  )
}

/** Details of a sign-in method, with buttons that copy them. */
function listSourceItems(source: TokenSource | undefined): readonly KeyValueItem[] {
  if (source?.kind === 'command') {
    return [{ label: t('show.command'), value: <CommandTexts texts={source.command} /> }]
  }
  if (source?.kind !== 'client-credentials') return []
  return (['tokenUrl', 'clientId', 'scope'] as const).flatMap((name) => {
    const value = source[name]
    const label = t(`signIn.${name}`)
    if (!value) return []
    return {
      label,
      value: <QuietCode wrap>{value}</QuietCode>,
      action: <CopyText text={value} label={t('show.copy', { name: label })} />,
    }
  })
}

function TestState({ ready, tests }: { readonly ready: readonly PartAddress[]; readonly tests: PartTests }) {
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

interface TestRowProps {
  readonly part: PartAddress
  readonly connection: ConnectionView
  readonly test: PartTest | undefined
  /** Whether no earlier row has the same failure. The failure of such a row is explained by default. */
  readonly isFirstOfCode: boolean
  readonly paste: PasteAction
}

const markAttributes = { size: 16, strokeWidth: 1.9, 'aria-hidden': true } as const

const marks = {
  notSetUp: <CircleMinus {...markAttributes} className="text-faint" />,
  notTested: <CircleDashed {...markAttributes} className="text-faint" />,
  testing: <Spinner size={16} />,
  failed: <CircleAlert {...markAttributes} className="text-danger" />,
  used: <CircleCheck {...markAttributes} className="text-success" />,
  reached: <CircleDot {...markAttributes} className="text-accent-text" />,
} as const

function getTestState(test: PartTest | undefined): keyof typeof marks {
  if (!test) return 'notTested'
  if (getRunFailure(test)) return 'failed'
  return test.state === 'done' && test.result.ok ? test.result.proven : 'testing'
}

function TestText(
  props: Pick<TestRowProps, 'test'> & { readonly state: keyof typeof marks; readonly isOpen: boolean },
) {
  const { test, state, isOpen } = props
  if (state === 'notSetUp' || state === 'notTested') return <span className="text-faint">{t(`test.${state}`)}</span>
  const failure = getRunFailure(test)
  if (failure && isOpen) return <span className="text-danger">{t('test.fails')}</span>
  if (failure) return <span className="text-danger">{t('test.failed', { title: explainFailure(failure).title })}</span>
  if (test?.state !== 'done' || !test.result.ok) return t('test.testing')
  const { proven, durationMs, at, part } = test.result
  const isToken = part === 'token' && proven === 'reached'
  return (
    <span className="flex flex-wrap gap-x-2">
      <span className={proven === 'used' ? 'text-success' : 'text-accent-text'}>
        {isToken ? t('test.tokenThere') : t(`test.${proven}`, { time: formatDuration(durationMs) })}
      </span>
      <span className="text-faint max-[1100px]:hidden">
        <RelativeTime at={at} />
      </span>
      {proven === 'reached' ? (
        <span className="basis-full text-muted">
          {t(isToken ? 'test.tokenMeans' : part === 'gateway' ? 'test.reachedGateway' : 'test.reachedMeans')}
        </span>
      ) : null}
    </span>
  )
}

function TestRow(props: TestRowProps) {
  const { part, connection, test, isFirstOfCode, paste } = props
  const detailsId = useId()
  const [isOpen = isFirstOfCode, setIsOpen] = useState<boolean>()
  const isSetUp = partsSetUp(connection).includes(part)
  const { id, isBuiltIn, addresses, tokenSource } = connection
  const failure = getRunFailure(test)
  const state = isSetUp ? getTestState(test) : 'notSetUp'
  const address = part.address && addresses[part.address]
  const name = partName(part)
  const testActions: Actions = [
    failure && (
      <ExpandButton
        key="explain"
        aria-expanded={isOpen}
        aria-controls={isOpen ? detailsId : undefined}
        aria-label={t('test.explainNamed', { name })}
        onClick={() => setIsOpen(!isOpen)}
      >
        {t('test.explain')}
      </ExpandButton>
    ),
    {
      label: t('test.test'),
      'aria-label': t('test.testNamed', { name }),
      onClick: () => void startTest(id, part.part),
    },
  ]
  const cancelAction = {
    label: t('test.cancel'),
    variant: 'ghost',
    'aria-label': t('test.cancelNamed', { name }),
    onClick: () => cancelTest(id, part.part),
  } as const
  const setUpAction = {
    label: t('test.setUp'),
    variant: 'ghost',
    to: editConnectionPath(id, part.address ?? 'signIn'),
    'aria-label': t('test.setUpNamed', { name }),
  } as const
  return (
    <GridRow className="group min-h-13 py-1.75 pl-0">
      <span className="inline-flex justify-self-end text-accent-text">{marks[state]}</span>
      <div className="min-w-0">
        <p className="font-strong">{name}</p>
        {address ? (
          <span
            className={joinClassNames(
              'flex h-5 min-w-0 items-center gap-0.5 [&_button]:opacity-0 group-hover:[&_button]:opacity-100',
              'group-focus-within:[&_button]:opacity-100',
            )}
          >
            <code className="truncate text-muted text-xs" title={address}>
              {address}
            </code>
            <CopyText text={address} label={t('show.copy', { name })} />
          </span>
        ) : (
          <span className="block truncate text-muted text-sm">
            {part.address ? t(`addresses.${part.address}.hint`) : t(`sources.${tokenSource?.kind ?? 'none'}`)}
          </span>
        )}
      </div>
      <div className="min-w-0 text-sm">
        <TestText {...{ test, state, isOpen }} />
      </div>
      <div className="flex min-w-19 items-center justify-end gap-1">
        {renderActions(
          !isSetUp ? [!isBuiltIn && setUpAction] : state === 'testing' ? [cancelAction] : testActions,
          'sm',
        )}
      </div>
      {test && isOpen && failure ? (
        <div id={detailsId} className="col-[2/-1] mt-1 mb-1.5">
          <TestFailure {...{ part, connection, test, failure, paste }} />
        </div>
      ) : null}
    </GridRow>
  )
}

/** Form field that most likely causes a failure, for failures whose text has no button. */
const remedies: Partial<Record<FailureCode, 'secret' | 'signIn' | 'certificates' | 'address'>> = {
  'auth.rejected': 'secret',
  'auth.tokenNeeded': 'secret',
  'vault.keyMissing': 'secret',
  'auth.tokenSource': 'signIn',
  'api.unauthorized': 'signIn',
  'api.notConfigured': 'signIn',
  'net.tls': 'certificates',
  'api.notFound': 'address',
  'api.badRequest': 'address',
}

/** Failure with a button for the most likely cause. Address and status are collapsed. */
function TestFailure(
  props: Pick<TestRowProps, 'part' | 'connection' | 'paste'> & { readonly test: PartTest; readonly failure: Failure },
) {
  const { part, connection, test, failure, paste } = props
  const navigate = useNavigate()
  const { id, isBuiltIn } = connection
  const tryAgain = (): void => void startTest(id, part.part)
  const openSandbox = useAction('sandbox.open', {
    invalidates: ['sandbox', 'plans', 'connections'],
    onSuccess: tryAgain,
  })
  const addressField: FieldName = part.address ?? 'tokenUrl'
  const fields = { secret: 'signIn', signIn: 'signIn', certificates: 'caFile', address: addressField } as const
  const listRemedies = (): readonly (Action | false | undefined)[] => {
    if (isBuiltIn) {
      const start = {
        label: t('test.startSandbox'),
        busy: openSandbox.isPending,
        onClick: () => openSandbox.mutate({}),
      }
      return [failure.code === 'net.refused' && start]
    }
    const remedy = remedies[failure.code]
    if (remedy === 'secret' && secretKind(connection)) return [{ label: paste.label, onClick: paste.onClick }]
    return [remedy && { label: t(`test.remedies.${remedy}`), to: editConnectionPath(id, fields[remedy]) }]
  }
  const { requestAddress, status } = test.state === 'done' && !test.result.ok ? test.result : {}
  return (
    <ExplainedFailure
      failure={failure}
      context={{ plan: connection.name, requestAddress, status }}
      handlers={{
        tryAgain,
        setAddress: isBuiltIn ? undefined : () => void navigate(editConnectionPath(id, addressField)),
      }}
      actions={listRemedies()}
    />
  )
}

const partName = ({ address }: PartAddress): string =>
  address === undefined ? t('test.token') : t(`addresses.${address}.name`)
