import type { ToolView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Code } from '../../ui/code'
import styles from './tools.module.css'

/** What a person types, or which page they open, to get a tool that is not on this computer. */
export function InstallHint({ install }: Pick<ToolView, 'install'>) {
  const { t } = useTranslation('tools')
  if (!install) return <span>{t('notInstalled')}</span>
  const isCommand = 'command' in install
  const text = isCommand ? install.command : install.url
  return (
    <span className={styles.install}>
      {t('notInstalled')} · {t(isCommand ? 'install' : 'installFrom')} <Code>{text}</Code>
      <CopyText text={text} label={t(isCommand ? 'copyInstall' : 'copyInstallPage')} />
    </span>
  )
}
