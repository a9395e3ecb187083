import type { MethodInput } from '@shared/contract'
import { Clock, Copy, FileText, RefreshCw, SlidersHorizontal, Stethoscope, TextCursorInput, Undo2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCopyText } from '../../copy-text'
import { useCall } from '../../ipc'
import { withQuery } from '../../paths'
import { useCurrentPlan } from '../../session'
import { Badge } from '../../ui/badge'
import { MenuButton, type MenuItem } from '../../ui/menu'
import { PageHeader } from '../../ui/page'
import { InlineDetails } from '../../ui/rows'
import { Tooltip } from '../../ui/tooltip'
import { useModelQuotas } from '../usage/quota'
import { formatSiteKey, type SiteTool, setupKey, toToolLocation, useFormatSite } from './sites'
import { previewInput, resolveToolForm, useToolsStore } from './tool-form'
import { InstallHint } from './tool-mark'
import { getToolState, toolPath } from './tool-status'
import { useShowFile } from './use-tool-actions'
import type { VerifyState } from './verifications'

const SnippetsDialog = lazy(async () => ({ default: (await import('./snippets-dialog')).SnippetsDialog }))

/** Menu of a tool, and the dialog that it opens. It has no items if this app cannot write the tool's files. */
export function useToolMenu() {
  const { t } = useTranslation('tools')
  const showFile = useShowFile()
  const copyText = useCopyText()
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

function Badges({ tool }: { readonly tool: SiteTool }) {
  const { t } = useTranslation('tools')
  const { tone, word } = getToolState(tool, tool)
  const isVersionUntested = tool.kind !== 'unsupported' && tool.triedVersion === undefined
  return (
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
  )
}

/** `verification`: that of the overview. Undefined on other views. */
export function ToolHeader(props: { readonly tool: SiteTool; readonly verification?: VerifyState | undefined }) {
  const { tool, verification } = props
  const { t } = useTranslation('tools')
  const formatSite = useFormatSite()
  const { getMenuItems, dialog } = useToolMenu()
  const items = getMenuItems(tool)
  const { id, site, applied } = tool
  return (
    <PageHeader
      title={tool.name}
      breadcrumb={[{ label: t('title'), to: '/tools' }]}
      badge={<Badges tool={tool} />}
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
