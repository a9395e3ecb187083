import { useNavigate } from 'react-router'
import { useAction } from '../../ipc'
import { useImport } from './import-store'
import { importPath } from './paths'

/** Asks for a teammate's file and goes on to the page where its plans are matched. */
export function useReadFile() {
  const navigate = useNavigate()
  const begin = useImport((store) => store.begin)
  const reading = useAction('profiles.readFile', {
    onSuccess: ({ importId, file }) => {
      if (importId === undefined || file === undefined) return
      begin(importId, file)
      void navigate(importPath)
    },
  })
  const choose = (): void => {
    if (!reading.isPending) reading.mutate({})
  }
  return { choose, isReading: reading.isPending, failure: reading.error?.failure }
}
