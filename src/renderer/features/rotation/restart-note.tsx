import type { RotatedTool, RotationView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/callout'
import { toolsToRestart } from './progress'
import styles from './rotation.module.css'
import { useToolNames } from './use-tool-names'

type Tools = readonly Pick<RotatedTool, 'toolName' | 'site' | 'needsRestart'>[]

/** At the step from which on a key is refused: the running tools that hold it. */
export function RestartHint({ tools }: { readonly tools: Tools }) {
  const { t } = useTranslation('rotation')
  const namesOf = useToolNames()
  const held = toolsToRestart(tools)
  if (held.length === 0) return null
  return <p className={styles.restart}>{t('restart.hint', { count: held.length, names: namesOf(held) })}</p>
}

interface RestartProps {
  readonly tools: Tools
  /** Before anything is done, or once the key is gone. */
  readonly when: 'before' | 'after'
}

/** The tools to start again where they run. */
export function RestartCallout({ tools, when }: RestartProps) {
  const { t } = useTranslation('rotation')
  const namesOf = useToolNames()
  const held = toolsToRestart(tools)
  if (held.length === 0) return null
  const values = { count: held.length, names: namesOf(held) }
  const isAfter = when === 'after'
  return (
    <Callout tone={isAfter ? 'warning' : 'info'} title={t(isAfter ? 'restart.title' : 'restart.before', values)}>
      {t(isAfter ? 'restart.text' : 'restart.beforeText', values)}
    </Callout>
  )
}

/** Whether a key has been taken away, so that the report tells what to start again. */
export const isKeyGone = ({ state }: Pick<RotationView, 'state'>): boolean =>
  state === 'waiting' || state === 'done' || state === 'undone'
