import { mount } from 'svelte';
import '../kit/styles/tokens.css';
import '../kit/styles/base.css';
import { session } from '../kit/session/session.svelte.ts';
import { connectToService } from './api/service.ts';
import Console from './console.svelte';

await session.resume();
connectToService();
mount(Console, { target: document.body });
