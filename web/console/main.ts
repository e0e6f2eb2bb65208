import { mount } from 'svelte';
import '../kit/styles/tokens.css';
import '../kit/styles/base.css';
import { connectToService } from './api/service.ts';
import Console from './console.svelte';

connectToService();
mount(Console, { target: document.body });
