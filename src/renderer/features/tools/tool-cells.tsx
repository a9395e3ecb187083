import type { ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Badge, StatusDot } from '../../ui/badge'
import { Facts } from '../../ui/rows'
import { Stack } from '../../ui/stack'
import { ToolMark } from './tool-mark'
import { standingOf, stateOf, toolPath } from './tool-status'
import styles from './tools.module.css'
import { useSiteWords } from './use-site-words'

interface CellProps {
  readonly tool: ToolView
}

/** Mark and name, which lead to the tool's page; and whether it was never tried. */
export function NameCell({ tool, tabIndex }: CellProps & { readonly tabIndex: number }) {
  const { t } = useTranslation('tools')
  return (
    <span className={styles.name}>
      <ToolMark tool={tool} />
      <Link to={toolPath(tool.id, undefined, standingOf(tool).site)} tabIndex={tabIndex} className={styles.link}>
        {tool.name}
      </Link>
      {tool.kind === 'written' && tool.triedVersion === undefined ? (
        <span className={styles.untried}>
          <Badge>{t('notTried.short')}</Badge>
        </span>
      ) : null}
    </span>
  )
}

/** The state in a word, where it is when it is not this user's home, and whether it goes through the relay. */
export function StatusCell({ tool }: CellProps) {
  const { t } = useTranslation('tools')
  const siteWords = useSiteWords()
  const standing = standingOf(tool)
  const { tone, word } = stateOf(tool, standing)
  const isRelayed = standing.applied?.route === 'relay'
  return (
    <Stack>
      <StatusDot tone={tone} label={t(`statuses.${word}`)} />
      {standing.site.kind === 'user' && !isRelayed ? null : (
        <span className={styles.second}>
          <Facts items={[standing.site.kind !== 'user' && siteWords(standing.site), isRelayed && t('route.short')]} />
        </span>
      )}
    </Stack>
  )
}

/** The plan and the model in use; where it is pointed when somebody else set it up. */
export function UseCell({ tool }: CellProps) {
  const { t } = useTranslation('tools')
  const { applied, found, status } = standingOf(tool)
  const second = applied?.modelCode ?? found?.modelCode
  const first = applied ? (applied.planName ?? t('planGone')) : status === 'otherwise' ? found?.base : undefined
  if (first === undefined && second === undefined) return <span className={styles.faint}>–</span>
  return (
    <Stack>
      {first === undefined ? null : <span title={first}>{first}</span>}
      {second === undefined ? null : (
        <code className={styles.second} title={second}>
          {second}
        </code>
      )}
    </Stack>
  )
}
