/// <reference types="vite/client" />
declare module 'virtual:house.css'
