import type { ToolView } from '@shared/contract'
import { Ellipsis } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Badge } from '../../ui/badge'
import { Button, ButtonLink } from '../../ui/button'
import { Code } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { PageHeader } from '../../ui/page'
import { Facts } from '../../ui/rows'
import { Tooltip } from '../../ui/tooltip'
import { type ToolHere, useSiteWords } from './sites'
import { stateOf, toolPath } from './tool-status'
import type { Verifying } from './use-tool-actions'
import { useToolMenu } from './use-tool-menu'

interface ToolHeaderProps {
  readonly tool: ToolHere
  readonly isOverview: boolean
  readonly verifying: Verifying
}

/** The state in a word, and whether this was ever tried with the real tool. */
function Badges({ tool }: { readonly tool: ToolHere }) {
  const { t } = useTranslation('tools')
  const { tone, word } = stateOf(tool, tool)
  const isUntried = tool.kind !== 'unsupported' && tool.triedVersion === undefined
  return (
    <>
      <Badge tone={tone}>{t(`statuses.${word}`)}</Badge>
      {isUntried ? (
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
  const { itemsOf, dialog } = useToolMenu()
  const items = itemsOf(tool)
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

/** The head of a tool's page: what it is and where, how it stands, and what to do with it. */
export function ToolHeader(props: ToolHeaderProps) {
  const { tool } = props
  const { t } = useTranslation('tools')
  const siteWords = useSiteWords()
  return (
    <PageHeader
      title={tool.name}
      breadcrumb={[{ label: t('title'), to: '/tools' }]}
      badge={<Badges tool={tool} />}
      state={
        <>
          <Facts
            items={[
              tool.site.kind !== 'user' && siteWords(tool.site),
              tool.kind !== 'unsupported' && t(`standards.${tool.standard}`),
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

/** What a person types, or which page they open, to get a tool that is not on this computer. */
function InstallHint({ install }: Pick<ToolView, 'install'>) {
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
