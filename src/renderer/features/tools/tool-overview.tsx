import type { MethodInput, Site, ToolView } from '@shared/contract'
import i18next from 'i18next'
import {
  Clock,
  Copy,
  FileText,
  RefreshCw,
  SlidersHorizontal,
  SquareTerminal,
  Stethoscope,
  TextCursorInput,
  Undo2,
} from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { CopyText, copyText } from '../../copy-text'
import { ExplainedFailure } from '../../failures'
import { useAction, useCall } from '../../ipc'
import { planPath, pointPath, relayPath, withQuery } from '../../paths'
import { RelativeTime } from '../../relative-time'
import { getRunFailure } from '../../runs'
import { useCurrentPlan } from '../../session'
import { useToastAction } from '../../toast-actions'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { Code, QuietCode } from '../../ui/code'
import { MenuButton, type MenuItem } from '../../ui/menu'
import { Card, PageHeader, Section } from '../../ui/page'
import { InlineDetails, KeyValue } from '../../ui/rows'
import { Tooltip } from '../../ui/tooltip'
import { useModelQuotas } from '../usage/quota'
import { slotLabel } from './choice-form'
import { ToolWarnings, useOpenForm, useShowFile } from './remedies'
import { formatSite, formatSiteKey, getToolState, type SiteTool, setupKey, toolPath, toToolLocation } from './setups'
import { previewInput, resolveToolForm, useToolsStore } from './tool-form'
import { InstallHint } from './tool-notices'
import { useVerifications, type VerifyState } from './verifications'

const t = i18next.getFixedT(null, 'tools')

const SnippetsDialog = lazy(async () => ({ default: (await import('./snippets-dialog')).SnippetsDialog }))

/** Menu of a tool, and the dialog that it opens. It has no items if this app cannot write the tool's files. */
export function useToolMenu() {
  const showFile = useShowFile()
  const { data: plans = [] } = useCall('plans.list', {})
  const currentPlan = useCurrentPlan()
  const pickedBySetup = useToolsStore((store) => store.picked)
  const { listExhausted } = useModelQuotas()
  const [copied, setCopied] = useState<MethodInput<'tools.snippets'>>()
  const getMenuItems = (tool: SiteTool): readonly MenuItem[] => {
    if (tool.kind !== 'written') return []
    const { id, site, applied } = tool
    const picked = pickedBySetup[setupKey(id, site)] ?? {}
    // Snippets have the same values as the tool's form.
    const choice = previewInput(tool, resolveToolForm({ tool, plans, currentPlan, picked, listExhausted }), picked)
    const isNew = !applied
    const copyAddress = (): void => {
      if (applied) copyText(applied.requestAddress, { title: t('addressCopied'), description: applied.requestAddress })
    }
    return [
      { label: t('actions.verify'), icon: RefreshCw, disabled: isNew, to: toolPath(id, 'verify', site) },
      {
        label: t('actions.doctor'),
        icon: Stethoscope,
        disabled: isNew,
        to: withQuery(`/tools/${encodeURIComponent(id)}/doctor`, { at: site.kind !== 'user' && formatSiteKey(site) }),
      },
      {
        label: isNew ? t('actions.setUp') : t('actions.change'),
        icon: SlidersHorizontal,
        to: toolPath(id, 'configure', site),
      },
      'separator',
      { label: t('actions.copyAddress'), icon: Copy, disabled: isNew, onSelect: copyAddress },
      {
        label: t('actions.copyAsText'),
        icon: TextCursorInput,
        disabled: choice === undefined,
        onSelect: () => choice && setCopied(choice),
      },
      { label: t('actions.showFile'), icon: FileText, onSelect: () => showFile(toToolLocation(id, site)) },
      { label: t('actions.history'), icon: Clock, to: withQuery('/history', { tool: id }) },
      'separator',
      { label: t('actions.undo'), icon: Undo2, disabled: isNew, to: toolPath(id, 'undo', site) },
    ]
  }
  return {
    getMenuItems,
    dialog: copied ? (
      <Suspense key="dialog" fallback={null}>
        <SnippetsDialog choice={copied} onClose={() => setCopied(undefined)} />
      </Suspense>
    ) : null,
  }
}

/** `verification`: that of the overview. Undefined on other views. */
export function ToolHeader(props: { readonly tool: SiteTool; readonly verification?: VerifyState | undefined }) {
  const { tool, verification } = props
  const { getMenuItems, dialog } = useToolMenu()
  const items = getMenuItems(tool)
  const { id, site, applied } = tool
  const { tone, word } = getToolState(tool, tool)
  const isVersionUntested = tool.kind !== 'unsupported' && tool.triedVersion === undefined
  return (
    <PageHeader
      title={tool.name}
      breadcrumb={[{ label: t('title'), to: '/tools' }]}
      badge={
        <>
          <Badge tone={tone}>{t(`statuses.${word}`)}</Badge>
          {isVersionUntested ? (
            <Tooltip content={t('notTried.text')}>
              <button
                type="button"
                className="inline-flex rounded-sm"
                aria-label={`${t('notTried.title')}. ${t('notTried.text')}`}
              >
                <Badge>{t('notTried.title')}</Badge>
              </button>
            </Tooltip>
          ) : null}
        </>
      }
      state={
        <>
          <InlineDetails
            items={[
              tool.site.kind !== 'user' && formatSite(tool.site),
              tool.kind !== 'unsupported' && t(`standards.${tool.speaks ?? tool.standard}`),
              tool.installed && tool.version !== undefined && t('version', { version: tool.version }),
              tool.triedVersion !== undefined && t('triedWith', { version: tool.triedVersion }),
            ]}
          />
          {tool.installed ? null : <InstallHint install={tool.install} />}
        </>
      }
      actions={[
        applied && !verification && { label: t('actions.back'), variant: 'ghost', to: toolPath(id, undefined, site) },
        applied && verification && { label: t('actions.change'), to: toolPath(id, 'configure', site) },
        applied &&
          verification && {
            label: t('actions.verify'),
            variant: 'primary',
            busy: verification.isPending,
            onClick: verification.verify,
          },
        items.length > 0 && <MenuButton key="menu" label={t('actions.more', { tool: tool.name })} items={items} />,
        dialog,
      ]}
    />
  )
}

export type AppliedSetup = NonNullable<ToolView['applied']>

function Drift({ tool }: { readonly tool: SiteTool }) {
  return (
    <Callout
      tone="warning"
      title={t('drift.title')}
      actions={[
        { label: t('actions.undo'), variant: 'ghost', to: toolPath(tool.id, 'undo', tool.site) },
        { label: t('actions.review'), to: toolPath(tool.id, 'review', tool.site) },
      ]}
    >
      <p>{t('drift.text')}</p>
      <ul className="mt-1.5 flex flex-wrap gap-1" aria-label={t('drift.list')}>
        {tool.drift.map((path) => (
          <li key={path}>
            <Code>{path}</Code>
          </li>
        ))}
      </ul>
    </Callout>
  )
}

function Conflicts({ tool }: { readonly tool: SiteTool }) {
  const openForm = useOpenForm()
  if (!tool.conflicts) return null
  return (
    <Callout tone="danger" title={t('conflicts.title', { tool: tool.name })}>
      <p>{t('conflicts.text')}</p>
      <ToolWarnings
        warnings={tool.conflicts}
        toolId={tool.id}
        site={tool.site}
        onTakeOut={(path) => openForm(tool, { settingsToRemove: [path] })}
      />
    </Callout>
  )
}

export function ToolOverview({ tool, applied }: { readonly tool: SiteTool; readonly applied: AppliedSetup }) {
  const slots = tool.slots.map((slot) => {
    const code = applied.slots[slot.id]
    const usesMainModel = code === undefined || code === applied.modelCode
    return { label: slotLabel(slot), value: usesMainModel ? t('sameModel') : <QuietCode>{code}</QuietCode> }
  })
  const showFile = useShowFile()
  const files = tool.files.length === 0 ? [{ path: tool.file, exists: true }] : tool.files
  const isRelayed = applied.route === 'relay'
  const relay = (
    <>
      <Link to={relayPath}>{t('route.ways.relay')}</Link>
      <span className="block text-muted text-sm">{t('route.inForce')}</span>
    </>
  )
  const plan = applied.planName ? <Link to={`/plans/${applied.planId}`}>{applied.planName}</Link> : t('planGone')
  return (
    <>
      <KeyProblemNotice tool={tool} />
      <RelayOffNotice tool={tool} />
      <Conflicts tool={tool} />
      {tool.status === 'drifted' ? <Drift tool={tool} /> : null}
      <Section title={t('current')}>
        <Card>
          <div className="-mx-4 -mt-3.5 mb-2 border-b px-4 pt-4 pb-2.5">
            <RequestAddress
              tool={tool.name}
              requestAddress={applied.requestAddress}
              when={tool.status === 'drifted' ? 'once' : 'now'}
            />
          </div>
          <KeyValue
            items={[
              { label: t('plan'), value: plan },
              ...(isRelayed ? [{ label: t('route.term'), value: relay }] : []),
              { label: t('model'), value: <QuietCode>{applied.modelCode}</QuietCode> },
              ...slots,
              {
                label: t('key'),
                value: (
                  <>
                    {applied.keyName === undefined ? null : <>{applied.keyName} · </>}
                    {t(`deliveries.${applied.delivery}`)}
                    <span className="block text-muted text-sm">
                      {isRelayed ? t('route.token') : t(`deliveryHints.${applied.delivery}`)}
                    </span>
                  </>
                ),
              },
              ...files.map(({ path, exists }, index) => ({
                label: files.length === 1 ? t('file') : t('fileNumbered', { number: index + 1 }),
                value: <QuietCode wrap>{path}</QuietCode>,
                action: (
                  <>
                    <CopyText text={path} label={t('copyPath')} />
                    {exists ? (
                      <Button
                        size="sm"
                        variant="ghost"
                        onClick={() => showFile({ ...toToolLocation(tool.id, tool.site), path })}
                      >
                        {t('actions.showFile')}
                      </Button>
                    ) : null}
                  </>
                ),
              })),
              { label: t('since'), value: <RelativeTime at={applied.at} /> },
            ]}
          />
        </Card>
      </Section>
    </>
  )
}

/** Warns that the tool's key does not work, with a link to the key choice. */
function KeyProblemNotice({ tool }: { readonly tool: SiteTool }) {
  const problem = tool.status === 'configured' ? tool.applied?.keyProblem : undefined
  if (!problem || !tool.applied) return null
  const { planName: plan = '', keyName: key = '', planId } = tool.applied
  return (
    <Callout
      tone="danger"
      title={t(`keyProblem.titles.${problem}`, { tool: tool.name })}
      actions={[
        { label: t('keyProblem.plan'), variant: 'ghost', to: planPath(planId) },
        { label: t('keyProblem.choose'), to: toolPath(tool.id, 'configure', tool.site) },
      ]}
    >
      {t('keyProblem.text', { tool: tool.name, key, plan })}
    </Callout>
  )
}

/** Notice that the tool's requests fail because the relay is off. Offers to start it or to change the route. */
function RelayOffNotice({ tool }: { readonly tool: SiteTool }) {
  const startRelay = useAction('relay.start', { invalidates: ['relay', 'tools'] })
  const verification = useVerifications((verifications) => verifications[setupKey(tool.id, tool.site)])
  // Hide the notice if the result of the verification, shown above it, is the same failure.
  if (!tool.relayOff || getRunFailure(verification)?.code === 'relay.off') return null
  const canUseGateway = tool.routes.includes('gateway')
  return (
    <>
      <Callout
        tone="danger"
        title={t('relayOff.title', { tool: tool.name })}
        actions={[
          canUseGateway && {
            label: t('relayOff.direct'),
            variant: 'ghost',
            to: pointPath({ to: 'gateway', toolIds: [tool.id] }),
          },
          { label: t('relayOff.start'), busy: startRelay.isPending, onClick: () => startRelay.mutate({}) },
        ]}
      >
        {canUseGateway ? t('relayOff.text', { tool: tool.name }) : null}
      </Callout>
      <ExplainedFailure
        failure={startRelay.error?.failure}
        actions={[{ label: t('relayOff.toRelay'), to: relayPath }]}
      />
    </>
  )
}

export function RequestAddress(props: {
  readonly tool: string
  /** Renders nothing without an address. */
  readonly requestAddress: string | undefined
  readonly base?: string | undefined
  /** Kind of text: `title`, the address that the tool uses `now`, or the address that it used `once`. */
  readonly when?: 'title' | 'now' | 'once'
}) {
  const { tool, requestAddress, base, when = 'title' } = props
  if (requestAddress === undefined) return null
  const isPrefix = base !== undefined && requestAddress.startsWith(base)
  const addressSuffix = isPrefix ? requestAddress.slice(base.length) : ''
  return (
    <section className="@container min-w-0" aria-label={t('requestAddress')}>
      <p className="text-muted text-sm">{t(`address.${when}`, { tool })}</p>
      <p
        className={joinClassNames(
          'flex min-w-0 items-center gap-2 font-mono text-md leading-5.5',
          '@min-[601px]:text-lg @min-[601px]:leading-6.5',
        )}
      >
        <span
          className={joinClassNames(
            'flex-none rounded-sm bg-success-soft px-1.5 font-bold text-success text-xs leading-5',
            'inset-ring inset-ring-success-line',
          )}
        >
          POST
        </span>
        <span className="min-w-0 wrap-anywhere text-text">
          {isPrefix ? base : requestAddress}
          <span className="font-semibold text-accent-text">{addressSuffix}</span>
        </span>
        <CopyText text={requestAddress} label={t('address.copy')} />
      </p>
      {isPrefix && addressSuffix !== '' ? (
        <p className="wrap-anywhere text-muted text-sm low:hidden">
          {t('address.base')}: <code>{base}</code> · {t('address.adds', { tool, rest: addressSuffix })}
        </p>
      ) : null}
    </section>
  )
}

export function ToolStartCommand({ tool, site }: { readonly tool: ToolView; readonly site?: Site }) {
  const { data: terminal } = useCall('tools.terminal', {}, { enabled: site !== undefined && site.kind !== 'wsl' })
  const openTerminal = useToastAction('tools.openTerminal')
  const { start } = tool
  if (start === undefined) return null
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {t('start.label')} <Code wrap>{start}</Code>
      <CopyText text={start} label={t('start.copy')} />
      {site && terminal?.isThere ? (
        <Button
          size="sm"
          icon={SquareTerminal}
          busy={openTerminal.isPending}
          onClick={() => openTerminal.mutate(toToolLocation(tool.id, site))}
        >
          {t('start.terminal')}
        </Button>
      ) : null}
    </p>
  )
}
