import { contextBridge, ipcRenderer } from 'electron'
import type { Bridge } from '../shared/contract'

const bridge: Bridge = {
  call: (name, input) => ipcRenderer.invoke('companion:call', name, input),
  on: (listener) => {
    const forward = (_event: unknown, name: string, payload: unknown): void => listener(name, payload)
    ipcRenderer.on('companion:event', forward)
    return () => ipcRenderer.off('companion:event', forward)
  },
}

contextBridge.exposeInMainWorld('companion', bridge)
