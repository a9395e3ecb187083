import type { MethodInput, ToolView } from '@shared/contract'
import {
  Clock,
  Copy,
  Ellipsis,
  FileText,
  RefreshCw,
  SlidersHorizontal,
  Stethoscope,
  TextCursorInput,
  Undo2,
} from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { CopyText } from '../../copy-text'
import { call, useCall } from '../../ipc'
import { useCurrentPlan } from '../../session'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { Menu, type MenuItem } from '../../ui/menu'
import { PageHeader } from '../../ui/page'
import { InlineDetails } from '../../ui/rows'
import { toast } from '../../ui/toast'
import { Tooltip } from '../../ui/tooltip'
import { useModelQuotas } from '../usage/quota'
import { formatSiteKey, type SiteTool, setupKey, toToolLocation, useFormatSite } from './sites'
import { previewInput, resolveToolForm } from './tool-form'
import { getToolState, toolPath } from './tool-status'
import { useToolsStore } from './tools-store'
import { useShowFile, type VerifyState } from './use-tool-actions'

const SnippetsDialog = lazy(async () => ({ default: (await import('./snippets-dialog')).SnippetsDialog }))

const historyPath = (toolId: string): string => `/history?tool=${encodeURIComponent(toolId)}`

const doctorPath = ({ id, site }: Pick<SiteTool, 'id' | 'site'>): string =>
  `/tools/${encodeURIComponent(id)}/doctor${site.kind === 'user' ? '' : `?at=${encodeURIComponent(formatSiteKey(site))}`}`

interface ToolMenu {
  readonly getMenuItems: (tool: SiteTool) => readonly MenuItem[]
  /** Dialog that the menu opens. Render it once, next to the menu. */
  readonly dialog: ReactNode
}

/** Input for configuration snippets, with the same values as the tool's form. */
function useSnippetInput(): (tool: SiteTool) => MethodInput<'tools.snippets'> | undefined {
  const { data: plans = [] } = useCall('plans.list', {})
  const currentPlan = useCurrentPlan()
  const pickedPlansByTool = useToolsStore((store) => store.picked)
  const { listExhausted } = useModelQuotas()
  return (tool) => {
    const pickedChoice = pickedPlansByTool[setupKey(tool.id, tool.site)] ?? {}
    return previewInput(
      tool,
      resolveToolForm({ tool, plans, currentPlan, picked: pickedChoice, listExhausted }),
      pickedChoice,
    )
  }
}

function useCopyAddress(): (applied: ToolView['applied']) => Promise<void> {
  const { t } = useTranslation('tools')
  return async (applied) => {
    if (!applied) return
    await call('app.copyText', { text: applied.requestAddress })
    await toast(t('addressCopied'), { description: applied.requestAddress })
  }
}

function useToolMenuItems(onCopyAsText: (choice: MethodInput<'tools.snippets'>) => void) {
  const { t } = useTranslation('tools')
  const navigate = useNavigate()
  const showFile = useShowFile()
  const getSnippetInput = useSnippetInput()
  const copyAddress = useCopyAddress()
  return (tool: SiteTool): readonly MenuItem[] => {
    const { id, site, applied } = tool
    const choice = getSnippetInput(tool)
    const createNavigator = (path: string) => (): void => void navigate(path)
    const isNew = !applied
    return [
      {
        label: t('actions.verify'),
        icon: RefreshCw,
        disabled: isNew,
        onSelect: createNavigator(toolPath(id, 'verify', site)),
      },
      { label: t('actions.doctor'), icon: Stethoscope, disabled: isNew, onSelect: createNavigator(doctorPath(tool)) },
      {
        label: isNew ? t('actions.setUp') : t('actions.change'),
        icon: SlidersHorizontal,
        onSelect: createNavigator(toolPath(id, 'configure', site)),
      },
      'separator',
      { label: t('actions.copyAddress'), icon: Copy, disabled: isNew, onSelect: () => void copyAddress(applied) },
      {
        label: t('actions.copyAsText'),
        icon: TextCursorInput,
        disabled: choice === undefined,
        onSelect: () => choice && onCopyAsText(choice),
      },
      { label: t('actions.showFile'), icon: FileText, onSelect: () => showFile(toToolLocation(id, site)) },
      { label: t('actions.history'), icon: Clock, onSelect: createNavigator(historyPath(id)) },
      'separator',
      { label: t('actions.undo'), icon: Undo2, disabled: isNew, onSelect: createNavigator(toolPath(id, 'undo', site)) },
    ]
  }
}

/** Menu of a tool. It has no items if this app cannot write the tool's files. */
export function useToolMenu(): ToolMenu {
  const [copied, setCopied] = useState<MethodInput<'tools.snippets'>>()
  const menuItems = useToolMenuItems(setCopied)
  return {
    getMenuItems: (tool) => (tool.kind === 'written' ? menuItems(tool) : []),
    dialog: copied ? (
      <Suspense fallback={null}>
        <SnippetsDialog choice={copied} open onClose={() => setCopied(undefined)} />
      </Suspense>
    ) : null,
  }
}

interface ToolHeaderProps {
  readonly tool: SiteTool
  readonly isOverview: boolean
  readonly verifying: VerifyState
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

function Actions({ tool, isOverview, verifying }: ToolHeaderProps) {
  const { t } = useTranslation('tools')
  const { getMenuItems, dialog } = useToolMenu()
  const items = getMenuItems(tool)
  const { id, site, applied } = tool
  return (
    <>
      {applied && !isOverview ? (
        <ButtonLink variant="ghost" to={toolPath(id, undefined, site)}>
          {t('actions.back')}
        </ButtonLink>
      ) : null}
      {applied && isOverview ? (
        <>
          <ButtonLink to={toolPath(id, 'configure', site)}>{t('actions.change')}</ButtonLink>
          <Button variant="primary" busy={verifying.isPending} onClick={verifying.verify}>
            {t('actions.verify')}
          </Button>
        </>
      ) : null}
      {items.length > 0 ? (
        <Menu
          align="end"
          trigger={<IconButton icon={Ellipsis} label={t('actions.more', { tool: tool.name })} />}
          items={items}
        />
      ) : null}
      {dialog}
    </>
  )
}

export function ToolHeader(props: ToolHeaderProps) {
  const { tool } = props
  const { t } = useTranslation('tools')
  const formatSite = useFormatSite()
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
      actions={<Actions {...props} />}
    />
  )
}

export function InstallHint({ install }: Pick<ToolView, 'install'>) {
  const { t } = useTranslation('tools')
  if (!install) return <span>{t('notInstalled')}</span>
  const isCommand = 'command' in install
  const text = isCommand ? install.command : install.url
  return (
    <span className="mt-0.5 flex flex-wrap items-center gap-1">
      {t('notInstalled')} · {t(isCommand ? 'install' : 'installFrom')} <Code>{text}</Code>
      <CopyText text={text} label={t(isCommand ? 'copyInstall' : 'copyInstallPage')} />
    </span>
  )
}
