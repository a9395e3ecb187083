import type { ToolView } from '@shared/contract'
import { Ellipsis } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { StatusDot } from '../../ui/badge'
import { ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Facts, Row } from '../../ui/rows'
import { installCommands } from './install-commands'
import { ToolMark } from './tool-mark'
import { nextStep, statusTones, toolPath } from './tool-status'
import styles from './tools.module.css'
import { useToolMenu } from './use-tool-menu'

/** What a person types to get a tool that is not on this computer. */
export function InstallHint({ toolId }: { toolId: string }) {
  const { t } = useTranslation('tools')
  const command = installCommands[toolId]
  if (command === undefined) return <span>{t('notInstalled')}</span>
  return (
    <span className={styles.install}>
      {t('notInstalled')} · {t('install')} <Code>{command}</Code>
      <CopyText text={command} label={t('copyInstall')} />
    </span>
  )
}

function Description({ tool }: { tool: ToolView }) {
  const { t } = useTranslation('tools')
  const { applied } = tool
  if (!tool.supported) return <>{tool.reason}</>
  return (
    <>
      <Facts
        items={[
          t(`standards.${tool.standard}`),
          tool.installed && tool.version !== undefined && t('version', { version: tool.version }),
          applied && (applied.planName ?? t('planGone')),
          applied && (
            <Code key="model" quiet>
              {applied.modelCode}
            </Code>
          ),
        ]}
      />
      {tool.installed ? null : <InstallHint toolId={tool.id} />}
    </>
  )
}

/** One tool of the list; the whole row leads to its page. */
export function ToolRow({ tool, canConfigure }: { tool: ToolView; canConfigure: boolean }) {
  const { t } = useTranslation('tools')
  const items = useToolMenu(tool)
  const step = nextStep(tool)
  const isBlocked = !tool.supported || (tool.status === 'absent' && !canConfigure)
  return (
    <Row
      leading={<ToolMark tool={tool} />}
      title={tool.name}
      description={<Description tool={tool} />}
      {...(tool.supported ? { to: toolPath(tool.id) } : {})}
      trailing={
        <>
          <span className={styles.status}>
            {tool.supported ? (
              <StatusDot tone={statusTones[tool.status]} label={t(`statuses.${tool.status}`)} />
            ) : (
              <StatusDot tone="neutral" label={t('unsupported')} />
            )}
          </span>
          {isBlocked ? null : (
            <ButtonLink size="sm" variant={tool.status === 'absent' ? 'primary' : 'secondary'} to={step.to}>
              {t(`actions.${step.label}`)}
              <span className="sr-only"> {tool.name}</span>
            </ButtonLink>
          )}
          {tool.supported ? (
            <Menu
              align="end"
              trigger={<IconButton icon={Ellipsis} label={t('actions.more', { tool: tool.name })} size="sm" />}
              items={items}
            />
          ) : null}
        </>
      }
    />
  )
}
