import type { Site, ToolWarning } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Button } from '../../ui/button'
import { CopyKeyButton } from './copy-key-button'
import { toolAt } from './sites'
import type { WarningsOf } from './tool-warnings'
import styles from './tool-warnings.module.css'
import { useShowFile } from './use-show-file'

interface WarningFixProps extends WarningsOf {
  readonly warning: ToolWarning
  readonly site: Site
}

/** A line for a shell, to copy. */
function ShellLine({ text }: { readonly text: string }) {
  const { t } = useTranslation('tools')
  return (
    <span className={styles.line}>
      <code>{text}</code>
      <CopyText text={text} label={t('fixes.copyLine')} />
    </span>
  )
}

/** What can be done about a warning, as a button: copy the line, open the file, take the setting out, copy the key. */
export function WarningFix({ warning, tool, site, keyRef, onTakeOut }: WarningFixProps) {
  const { t } = useTranslation('tools')
  const showFile = useShowFile()
  const { code, fix, subject, path, text } = warning
  if (code === 'keyInTool') return keyRef ? <CopyKeyButton {...keyRef} /> : null
  if (text !== undefined && (fix === undefined || fix === 'copyLine')) return <ShellLine text={text} />
  if (fix === 'openFile') {
    return (
      <Button size="sm" onClick={() => showFile({ ...toolAt(tool.id, site), ...(path !== undefined && { path }) })}>
        {t('fixes.openFile')}
      </Button>
    )
  }
  if (fix === 'takeOut' && subject !== undefined && onTakeOut) {
    return (
      <Button size="sm" onClick={() => onTakeOut(subject)}>
        {t('fixes.takeOut')}
      </Button>
    )
  }
  return null
}
