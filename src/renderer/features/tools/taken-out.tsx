import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Code } from '../../ui/code'
import { IconButton } from '../../ui/icon-button'
import styles from './tool-warnings.module.css'

interface TakenOutProps {
  readonly paths: readonly string[]
  readonly onLeaveIn: (path: string) => void
}

/** The settings in the way that will be taken out, each of which can stay after all. */
export function TakenOut({ paths, onLeaveIn }: TakenOutProps) {
  const { t } = useTranslation('tools')
  if (paths.length === 0) return null
  return (
    <p className={styles.taken}>
      {t('fixes.takenOut')}
      {paths.map((path) => (
        <span key={path} className={styles.taken}>
          <Code>{path}</Code>
          <IconButton
            icon={X}
            size="sm"
            label={t('fixes.leaveIn', { setting: path })}
            onClick={() => onLeaveIn(path)}
          />
        </span>
      ))}
    </p>
  )
}
